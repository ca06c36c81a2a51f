"""reverse_v2: axes run through backwards."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.axes import constant_integers, normal_axis
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement


class ReverseV2(Movement):
    """Input 1 holds the constant axes."""

    name = "reverse_v2"
    tflite = "REVERSE_V2"
    tflite_options = "ReverseV2Options"
    constraints = "the axes constant"

    def move(self, view: NodeView, x: Array) -> Array:
        rank = len(view.input(0).shape)
        axes = {normal_axis(view, axis, rank) for axis in constant_integers(view, 1, "the axes")}
        return np.flip(x, tuple(axis + 1 for axis in axes))


OPERATOR = ReverseV2()
