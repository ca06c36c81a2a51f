"""Resizing of images as functions on tensors."""

from __future__ import annotations

import numpy as np

from edgegen.frontend.functional import check
from edgegen.frontend.mode import fail
from edgegen.frontend.tape import Array, Attr
from edgegen.frontend.tensor import Tensor, apply


def upsample(x: Tensor, factor: int = 2, *, kind: str = "nearest") -> Tensor:
    """`factor` times the size along both sides: (N, H, W, C) to (N, H * factor, W * factor, C).

    `kind` "nearest" repeats each pixel; "bilinear" is the mean of the four nearest by their distance, with
    pixels as areas (half-pixel centres), and repeats the border.
    """
    check.floats("upsample", x)
    check.rank("upsample", "x", x, ("N", "H", "W", "C"))
    if factor < 1:
        fail("upsample", f"factor takes a positive number, got {factor}")
    if kind not in KINDS:
        fail("upsample", f"kind takes {' or '.join(KINDS)}, got {kind!r}")
    attrs: dict[str, Attr] = {"size": (x.shape[1] * factor, x.shape[2] * factor), "kind": kind}
    if kind == "bilinear":
        rows, columns = (_shares(size, factor).astype(x.dtype) for size in x.shape[1:3])
        return apply(
            "upsample",
            (x,),
            _resize(x._data, rows, columns),
            lambda dy: (_resize(dy, rows.T, columns.T),),
            attrs,
        )
    n, h, w, c = x.shape
    y = np.repeat(np.repeat(x._data, factor, axis=1), factor, axis=2)

    def pull(dy: Array) -> tuple[Array]:
        return (dy.reshape(n, h, factor, w, factor, c).sum(axis=(2, 4)),)

    return apply("upsample", (x,), y, pull, attrs)


KINDS = ("nearest", "bilinear")


def _shares(size: int, factor: int) -> Array:
    """The share of each of `size` pixels in each of `size * factor`: (size * factor, size)."""
    places = np.clip((np.arange(size * factor) + 0.5) / factor - 0.5, 0, size - 1)
    shares: Array = np.maximum(0, 1 - np.abs(places[:, np.newaxis] - np.arange(size)))
    return shares


def _resize(x: Array, rows: Array, columns: Array) -> Array:
    """Rows and columns as weighted sums: (N, H, W, C) by (OH, H) and (OW, W) to (N, OH, OW, C)."""
    y: Array = np.einsum("ah,bw,nhwc->nabc", rows, columns, x, optimize=True)
    return y
