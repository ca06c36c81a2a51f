"""ceil: the nearest integer above.

TensorFlow Lite Micro computes it in floats only; the int8 table is built as TensorFlow Lite builds its own.
"""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.tables import FloatTable


class Ceil(FloatTable):
    name = "ceil"
    tflite = "CEIL"
    monotone = True

    def function(self, view: NodeView, x: Array) -> Array:
        return np.ceil(x)


OPERATOR = Ceil()
