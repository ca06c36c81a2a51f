"""Pooling over images (N, H, W, C), as TensorFlow Lite defines it, and its gradients.

Padding never takes part: it is below every value for the maximum, and the average counts real pixels only.
"""

from __future__ import annotations

import numpy as np

from edgegen.frontend.arrays.windows import Array, Window, cropped, padded, taps


def max_pool2d(x: Array, window: Window) -> Array:
    """The maximum under each window, (N, OH, OW, C)."""
    output = window.output((x.shape[1], x.shape[2]))
    views = taps(padded(x, window.padding, -np.inf), window, output)
    best = next(views).copy()
    for view in views:
        np.maximum(best, view, out=best)
    return best


def max_pool2d_gradient(dy: Array, x: Array, y: Array, window: Window) -> Array:
    """The gradient of the input; among equal maxima the first in row-major order receives it."""
    output = (dy.shape[1], dy.shape[2])
    border = padded(x, window.padding, -np.inf)
    dborder = np.zeros_like(border)
    open_ = np.ones(y.shape, bool)
    for source, target in zip(taps(border, window, output), taps(dborder, window, output), strict=True):
        hit = open_ & (source == y)
        target += dy * hit
        open_ &= ~hit
    return cropped(dborder, window.padding)


def real_counts(x: Array, window: Window) -> Array:
    """How many real pixels each window covers, (1, OH, OW, 1)."""
    ones = padded(np.ones((1, *x.shape[1:3], 1), x.dtype), window.padding)
    output = window.output((x.shape[1], x.shape[2]))
    return np.asarray(sum(taps(ones, window, output)), x.dtype)


def avg_pool2d(x: Array, window: Window) -> Array:
    """The mean of the real pixels under each window, (N, OH, OW, C)."""
    output = window.output((x.shape[1], x.shape[2]))
    total = np.zeros((x.shape[0], *output, x.shape[3]), x.dtype)
    for view in taps(padded(x, window.padding), window, output):
        total += view
    return total / real_counts(x, window)


def avg_pool2d_gradient(dy: Array, x: Array, window: Window) -> Array:
    """The gradient of the input: each window shares its own among the real pixels."""
    (top, bottom), (left, right) = window.padding
    n, h, w, c = x.shape
    dborder = np.zeros((n, h + top + bottom, w + left + right, c), x.dtype)
    share = dy / real_counts(x, window)
    for target in taps(dborder, window, (dy.shape[1], dy.shape[2])):
        target += share
    return cropped(dborder, window.padding)
