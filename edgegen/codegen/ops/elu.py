"""elu: x where positive, e^x - 1 elsewhere."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.tables import FloatTable


class Elu(FloatTable):
    name = "elu"
    tflite = "ELU"
    constraints = ""
    monotone = True

    def function(self, view: NodeView, x: Array) -> Array:
        # e^x correctly rounded to float32 as the C library gives it; NumPy's float32 routine is less exact
        exponential = np.exp(np.minimum(x, 0).astype(np.float64)).astype(np.float32)
        return np.where(x < 0, exponential - np.float32(1), x)


OPERATOR = Elu()
