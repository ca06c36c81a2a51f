"""cos: the cosine.

TensorFlow Lite Micro computes it in floats only; the int8 table is built as TensorFlow Lite builds its own.
"""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.tables import FloatTable


class Cos(FloatTable):
    name = "cos"
    tflite = "COS"
    tflite_options = "CosOptions"

    def function(self, view: NodeView, x: Array) -> Array:
        return np.cos(x.astype(np.float64))


OPERATOR = Cos()
