"""expand_dims: a further axis of size 1."""

from __future__ import annotations

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.axes import constant_axis
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement


class ExpandDims(Movement):
    """Input 1 is the constant position of the new axis; negative ones count from the end of the output."""

    name = "expand_dims"
    tflite = "EXPAND_DIMS"
    tflite_options = "ExpandDimsOptions"
    constraints = "the axis constant"
    any_channels = True

    def output_shape(self, view: NodeView) -> tuple[int, ...]:
        shape = view.input(0).shape
        axis = constant_axis(view, 1, len(shape) + 1)
        return (*shape[:axis], 1, *shape[axis:])

    def move(self, view: NodeView, x: Array) -> Array:
        return x.reshape(x.shape[0], *self.output_shape(view))


OPERATOR = ExpandDims()
