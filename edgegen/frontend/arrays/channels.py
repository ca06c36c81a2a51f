"""Sums and products by channel, the last axis, in forms that NumPy carries out in long inner loops.

With few channels, broadcasting a vector along the last axis makes inner loops of a handful of elements; most
of the time then goes into starting them.
"""

from __future__ import annotations

import numpy as np

from edgegen.frontend.arrays.windows import Array


def channel_sum(x: Array) -> Array:
    """The sum over all axes but the last, (C,), as a product with ones."""
    rows = x.reshape(-1, x.shape[-1])
    total: Array = np.ones(len(rows), x.dtype) @ rows
    return total


def along(vector: Array, x: Array) -> Array:
    """`vector` (C,) repeated along the last but one axis of `x`, so that both are walked in one loop."""
    return vector if x.ndim < 3 else np.tile(vector, (x.shape[-2], 1))
