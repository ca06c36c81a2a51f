"""sqrt: the square root; of negative numbers it is not a number, which becomes the zero point.

TensorFlow Lite Micro computes it in floats only; the int8 table is built as TensorFlow Lite builds its own.
"""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.tables import FloatTable


class Sqrt(FloatTable):
    name = "sqrt"
    tflite = "SQRT"

    def function(self, view: NodeView, x: Array) -> Array:
        return np.sqrt(x)


OPERATOR = Sqrt()
