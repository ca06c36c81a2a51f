"""Pooling as functions on tensors."""

from __future__ import annotations

from edgegen.frontend.arrays import pool as arrays
from edgegen.frontend.arrays.windows import Array, Pair, Window
from edgegen.frontend.functional import check
from edgegen.frontend.functional.check import PaddingLike
from edgegen.frontend.functional.reduce import mean
from edgegen.frontend.mode import fail
from edgegen.frontend.tape import Attr
from edgegen.frontend.tensor import Tensor, apply


def max_pool2d(
    x: Tensor, size: int | Pair, *, stride: int | Pair | None = None, padding: PaddingLike = "valid"
) -> Tensor:
    """The maximum under each window: (N, H, W, C) to (N, OH, OW, C); `stride` is `size` by default.

    Padding never wins. Among equal maxima the first in row-major order receives the gradient.
    """
    window = _window("max_pool2d", x, size, stride, padding)
    a = x._data
    y = arrays.max_pool2d(a, window)
    return apply(
        "max_pool2d", (x,), y, lambda dy: (arrays.max_pool2d_gradient(dy, a, y, window),), _attrs(window)
    )


def avg_pool2d(
    x: Tensor, size: int | Pair, *, stride: int | Pair | None = None, padding: PaddingLike = "valid"
) -> Tensor:
    """The mean under each window: (N, H, W, C) to (N, OH, OW, C); `stride` is `size` by default.

    Only real pixels count, as in TensorFlow Lite: at a border the mean is over fewer of them.
    """
    window = _window("average_pool2d", x, size, stride, padding)
    a = x._data

    def pull(dy: Array) -> tuple[Array]:
        return (arrays.avg_pool2d_gradient(dy, a, window),)

    return apply("average_pool2d", (x,), arrays.avg_pool2d(a, window), pull, _attrs(window))


def global_avg_pool(x: Tensor, *, keepdims: bool = False) -> Tensor:
    """The mean of each channel: (N, H, W, C) to (N, C), or (N, 1, 1, C) with `keepdims`."""
    check.rank("mean", "input", x, ("N", "H", "W", "C"))
    return mean(x, (1, 2), keepdims=keepdims)


def _window(op: str, x: Tensor, size: int | Pair, stride: int | Pair | None, padding: PaddingLike) -> Window:
    check.rank(op, "input", x, ("N", "H", "W", "C"))
    check.floats(op, x)
    window = check.window(op, (x.shape[1], x.shape[2]), size, size if stride is None else stride, 1, padding)
    if any(max(sides) >= extent for sides, extent in zip(window.padding, window.size, strict=True)):
        fail(op, f"padding {window.padding} leaves a window of {window.size} without a real pixel")
    return window


def _attrs(window: Window) -> dict[str, Attr]:
    return {"size": window.size, "stride": window.stride, "padding": window.padding}
