"""zeros_like: zeros in the shape of a tensor; the stored numbers are 0, whatever the zero point."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.arithmetic import Int64
from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import HOLE, Movement


class ZerosLike(Movement):
    name = "zeros_like"
    tflite = "ZEROS_LIKE"
    tflite_options = "ZerosLikeOptions"

    def move(self, view: NodeView, x: Array) -> Array:
        return np.zeros_like(x)

    def places(self, view: NodeView) -> Int64:
        return np.full(view.input(0).shape, HOLE, np.int64)


OPERATOR = ZerosLike()
