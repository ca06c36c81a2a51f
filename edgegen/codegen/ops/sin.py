"""sin: the sine.

TensorFlow Lite Micro computes it in floats only; the int8 table is built as TensorFlow Lite builds its own.
"""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.tables import FloatTable


class Sin(FloatTable):
    name = "sin"
    tflite = "SIN"

    def function(self, view: NodeView, x: Array) -> Array:
        return np.sin(x.astype(np.float64))


OPERATOR = Sin()
