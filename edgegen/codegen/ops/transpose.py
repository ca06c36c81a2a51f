"""transpose: the axes in another order."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.axes import normal_axis, per_axis
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement


class Transpose(Movement):
    """Input 1 is constant: which axis of the input each axis of the output is."""

    name = "transpose"
    tflite = "TRANSPOSE"
    tflite_options = "TransposeOptions"
    constraints = "the order constant"
    any_channels = True

    def move(self, view: NodeView, x: Array) -> Array:
        rank = len(view.input(0).shape)
        order = per_axis(view, 1, "the order", rank)
        axes = [normal_axis(view, axis, rank) for axis in order]
        if sorted(axes) != list(range(rank)):
            raise view.error(f"{list(order)} is no order of the {rank} axes of {view.input(0).describe()}")
        return np.transpose(x, (0, *(axis + 1 for axis in axes)))


OPERATOR = Transpose()
