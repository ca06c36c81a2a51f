"""round: the nearest integer, halves to the even one.

TensorFlow Lite Micro computes it in floats only; the int8 table is built as TensorFlow Lite builds its own.
"""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.tables import FloatTable


class Round(FloatTable):
    name = "round"
    tflite = "ROUND"
    monotone = True

    def function(self, view: NodeView, x: Array) -> Array:
        return np.rint(x)


OPERATOR = Round()
