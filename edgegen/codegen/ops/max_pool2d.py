"""max_pool2d: the largest element of each window."""

from __future__ import annotations

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.pools import PoolOperator


class MaxPool2d(PoolOperator):
    name = "max_pool2d"
    tflite = "MAX_POOL_2D"

    def reduce(self, window: Array) -> Array:
        largest: Array = window.max(axis=(1, 2))
        return largest


OPERATOR = MaxPool2d()
