"""broadcast_to: a tensor repeated along its axes of size 1."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.axes import constant_integers
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.broadcast import aligned
from edgegen.codegen.ops.movement import Movement


class BroadcastTo(Movement):
    """Input 1 is the constant shape of the output."""

    name = "broadcast_to"
    tflite = "BROADCAST_TO"
    tflite_options = "BroadcastToOptions"
    constraints = "the shape constant"

    def move(self, view: NodeView, x: Array) -> Array:
        shape = constant_integers(view, 1, "the shape")
        try:
            fits = np.broadcast_shapes(view.input(0).shape, shape) == shape
        except ValueError:
            fits = False
        if not fits:
            raise view.error(f"{view.input(0).describe()} does not broadcast to {list(shape)}")
        return np.broadcast_to(aligned(x, len(shape)), (x.shape[0], *shape))


OPERATOR = BroadcastTo()
