"""average_pool2d: the mean of the elements of each window that lie inside the input."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.pools import PoolOperator


class AveragePool2d(PoolOperator):
    name = "average_pool2d"
    tflite = "AVERAGE_POOL_2D"

    def reduce(self, window: Array) -> Array:
        if np.issubdtype(window.dtype, np.floating):
            mean: Array = window.mean(axis=(1, 2))
            return mean
        total = window.sum(axis=(1, 2), dtype=np.int64)
        count = window.shape[1] * window.shape[2]
        magnitude = (np.abs(total) + count // 2) // count  # to nearest, ties away from zero
        rounded: Array = (np.sign(total) * magnitude).astype(window.dtype)
        return rounded


OPERATOR = AveragePool2d()
