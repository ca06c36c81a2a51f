"""Sliding windows over images (N, H, W, C), as convolution and pooling share them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]
Pair: TypeAlias = tuple[int, int]
Padding: TypeAlias = tuple[Pair, Pair]


@dataclass(frozen=True)
class Window:
    """A window of `size` (rows, columns) that moves by `stride`, its taps `dilation` apart.

    `padding` is ((top, bottom), (left, right)), in pixels.
    """

    size: Pair
    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    padding: Padding = ((0, 0), (0, 0))

    @property
    def extent(self) -> Pair:
        """Rows and columns from the first to the last tap."""
        (kh, kw), (dh, dw) = self.size, self.dilation
        return (kh - 1) * dh + 1, (kw - 1) * dw + 1

    def output(self, image: Pair) -> Pair:
        """Rows and columns of the output for those of an `image`; below one if the window does not fit."""
        sizes = zip(image, self.padding, self.extent, self.stride, strict=True)
        rows, columns = ((size + before + after - k) // s + 1 for size, (before, after), k, s in sizes)
        return rows, columns

    def is_pointwise(self) -> bool:
        """Whether the window is one pixel that visits every pixel."""
        return self.size == (1, 1) and self.stride == (1, 1) and self.padding == ((0, 0), (0, 0))


def same_padding(image: Pair, window: Window) -> Padding:
    """The padding that makes the output ceil(input / stride); an odd pixel goes to the end.

    Source: the TensorFlow documentation of "SAME" in tf.nn.convolution.
    """
    pads = []
    for size, k, stride in zip(image, window.extent, window.stride, strict=True):
        total = max((-(-size // stride) - 1) * stride + k - size, 0)
        pads.append((total // 2, total - total // 2))
    return pads[0], pads[1]


def padded(x: Array, padding: Padding, value: float = 0.0) -> Array:
    """`x` (N, H, W, C) with a border of `value`; `x` itself without one."""
    (top, bottom), (left, right) = padding
    if not (top or bottom or left or right):
        return x
    n, h, w, c = x.shape
    out = np.full((n, h + top + bottom, w + left + right, c), value, x.dtype)
    out[:, top : top + h, left : left + w] = x
    return out


def cropped(x: Array, padding: Padding) -> Array:
    """The inverse of `padded`, as a view."""
    (top, bottom), (left, right) = padding
    return x[:, top : x.shape[1] - bottom, left : x.shape[2] - right]


def taps(x: Array, window: Window, output: Pair) -> Iterator[Array]:
    """For each tap in row-major order, the pixels of padded `x` under it: views (N, OH, OW, C)."""
    (kh, kw), (sh, sw), (dh, dw), (oh, ow) = window.size, window.stride, window.dilation, output
    for i in range(kh):
        for j in range(kw):
            top, left = i * dh, j * dw
            yield x[:, top : top + (oh - 1) * sh + 1 : sh, left : left + (ow - 1) * sw + 1 : sw]


def columns(x: Array, window: Window, output: Pair) -> Array:
    """im2col: the pixels under each window of padded `x` as rows, (N * OH * OW, KH * KW * C)."""
    n, _, _, c = x.shape
    (kh, kw), (sh, sw), (dh, dw), (oh, ow) = window.size, window.stride, window.dilation, output
    sn, sy, sx, sc = x.strides
    strides = (sn, sy * sh, sx * sw, sy * dh, sx * dw, sc)
    view = np.lib.stride_tricks.as_strided(x, (n, oh, ow, kh, kw, c), strides, writeable=False)
    return view.reshape(n * oh * ow, kh * kw * c)


def add_columns(into: Array, cols: Array, window: Window, output: Pair) -> None:
    """col2im: add what each window holds in `cols` back to the pixels of padded `into` that it covers."""
    n, _, _, c = into.shape
    count = window.size[0] * window.size[1]
    split = cols.reshape(n, *output, count, c)
    for k, view in enumerate(taps(into, window, output)):
        view += split[..., k, :]
