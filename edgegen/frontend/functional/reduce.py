"""Reductions as functions on tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from edgegen.frontend.functional import check
from edgegen.frontend.tape import Array, Attr
from edgegen.frontend.tensor import Tensor, apply

Axes = int | Sequence[int] | None


def _restore(array: Array, shape: tuple[int, ...], axes: tuple[int, ...]) -> Array:
    # With the reduced axes back as ones, whether or not they were kept.
    return array.reshape(tuple(1 if i in axes else size for i, size in enumerate(shape)))


def _attrs(axes: tuple[int, ...], keepdims: bool) -> dict[str, Attr]:
    return {"axes": axes, "keepdims": keepdims}


def sum(x: Tensor, axes: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The sum over `axes`, all by default."""
    check.floats("sum", x)
    over = check.axes("sum", x, axes)

    def pull(dy: Array) -> tuple[Array]:
        return (np.broadcast_to(_restore(dy, x.shape, over), x.shape),)

    return apply("sum", (x,), x._data.sum(axis=over, keepdims=keepdims), pull, _attrs(over, keepdims))


def mean(x: Tensor, axes: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The mean over `axes`, all by default."""
    check.floats("mean", x)
    over = check.axes("mean", x, axes)
    count = x.dtype.type(math.prod(x.shape[a] for a in over))

    def pull(dy: Array) -> tuple[Array]:
        return (np.broadcast_to(_restore(dy / count, x.shape, over), x.shape),)

    return apply("mean", (x,), x._data.mean(axis=over, keepdims=keepdims), pull, _attrs(over, keepdims))


def reduce_max(x: Tensor, axes: Axes = None, *, keepdims: bool = False) -> Tensor:
    """The maximum over `axes`, all by default; equal maxima share the gradient."""
    check.floats("reduce_max", x)
    over = check.axes("reduce_max", x, axes)
    y = x._data.max(axis=over, keepdims=keepdims)

    def pull(dy: Array) -> tuple[Array]:
        hit = x._data == _restore(y, x.shape, over)
        return (hit * (_restore(dy, x.shape, over) / hit.sum(axis=over, keepdims=True, dtype=x.dtype)),)

    return apply("reduce_max", (x,), y, pull, _attrs(over, keepdims))


def arg_max(x: Tensor, *, axis: int = -1) -> Tensor:
    """The position of the first maximum along `axis`; no gradient."""
    along = check.axis("arg_max", x, axis)
    return apply("arg_max", (x,), x._data.argmax(axis=along), None, {"axis": along})
