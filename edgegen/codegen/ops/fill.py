"""fill: a tensor of one number."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.axes import constant_integers
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement


class Fill(Movement):
    """Input 0 is the constant shape, input 1 the number."""

    name = "fill"
    tflite = "FILL"
    tflite_options = "FillOptions"
    constraints = "the shape constant, the number a scalar"
    data = 1

    def move(self, view: NodeView, x: Array) -> Array:
        shape = constant_integers(view, 0, "the shape")
        if view.input(1).size != 1 or min(shape, default=1) < 0:
            raise view.error(f"fills {list(shape)} with one number, got {view.input(1).describe()}")
        return np.broadcast_to(x.reshape(x.shape[0], *(1,) * len(shape)), (x.shape[0], *shape))


OPERATOR = Fill()
