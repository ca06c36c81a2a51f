"""square: x * x.

TensorFlow Lite Micro computes it in floats only; the int8 table is built as TensorFlow Lite builds its own.
"""

from __future__ import annotations

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.tables import FloatTable


class Square(FloatTable):
    name = "square"
    tflite = "SQUARE"
    tflite_options = "SquareOptions"

    def function(self, view: NodeView, x: Array) -> Array:
        return x * x


OPERATOR = Square()
