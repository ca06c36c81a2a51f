"""Functions that move elements without computing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import EllipsisType

import numpy as np
import numpy.typing as npt

from edgegen.frontend.functional import check
from edgegen.frontend.mode import fail
from edgegen.frontend.tape import Array, Attr
from edgegen.frontend.tensor import Index, Tensor, apply


def reshape(x: Tensor, shape: Sequence[int]) -> Tensor:
    """The same elements in `shape`, row-major; one extent may be -1."""
    known = math.prod(s for s in shape if s != -1)
    free = sum(s == -1 for s in shape)
    if (
        free > 1
        or any(s < -1 for s in shape)
        or (x.size != known if not free else known == 0 or x.size % known)
    ):
        fail("reshape", f"{x.size} elements of shape {x.shape} do not fill the shape {tuple(shape)}")
    y = x._data.reshape(tuple(shape))
    return apply("reshape", (x,), y, lambda dy: (dy.reshape(x.shape),), {"shape": y.shape})


def flatten(x: Tensor, start: int = 1) -> Tensor:
    """All axes from `start` on as one: (N, H, W, C) to (N, H * W * C)."""
    at = check.axis("reshape", x, start)
    return reshape(x, (*x.shape[:at], math.prod(x.shape[at:])))


def transpose(x: Tensor, perm: Sequence[int]) -> Tensor:
    """The axes in the order `perm`."""
    order = tuple(check.axis("transpose", x, p) for p in perm)
    if sorted(order) != list(range(x.ndim)):
        fail("transpose", f"perm {tuple(perm)} is not an order of the {x.ndim} axes of {x.shape}")
    back = tuple(int(i) for i in np.argsort(order))
    return apply(
        "transpose", (x,), x._data.transpose(order), lambda dy: (dy.transpose(back),), {"perm": order}
    )


def pad(x: Tensor, paddings: Sequence[tuple[int, int]]) -> Tensor:
    """Zeros around `x`: (before, after) for each axis."""
    pairs = tuple((int(before), int(after)) for before, after in paddings)
    if len(pairs) != x.ndim or any(side < 0 for sides in pairs for side in sides):
        fail("pad", f"paddings takes (before, after) for each axis of {x.shape}, none negative, got {pairs}")
    inside = tuple(slice(before, before + size) for (before, _), size in zip(pairs, x.shape, strict=True))
    return apply("pad", (x,), np.pad(x._data, pairs), lambda dy: (dy[inside],), {"paddings": pairs})


def concat(tensors: Sequence[Tensor], axis: int = -1) -> Tensor:
    """Tensors one after the other along `axis`; the other axes agree."""
    op = "concatenation"
    if not tensors:
        fail(op, "takes at least one tensor")
    check.floats(op, *tensors)
    along = check.axis(op, tensors[0], axis)
    others = {t.shape[:along] + t.shape[along + 1 :] for t in tensors} | {()}
    if len({t.ndim for t in tensors}) > 1 or len(others - {()}) > 1:
        fail(op, f"shapes {', '.join(str(t.shape) for t in tensors)} differ in an axis other than {along}")
    ends = np.cumsum([t.shape[along] for t in tensors])[:-1].tolist()

    def pull(dy: Array) -> tuple[Array, ...]:
        return tuple(np.split(dy, ends, axis=along))

    return apply(op, tuple(tensors), np.concatenate([t._data for t in tensors], along), pull, {"axis": along})


def cast(x: Tensor, dtype: npt.DTypeLike) -> Tensor:
    """The values in another type; the gradient comes back in the type of `x`."""
    to = np.dtype(dtype)
    if to == x.dtype:
        return x
    return apply("cast", (x,), x._data.astype(to), lambda dy: (dy.astype(x.dtype),), {"dtype": str(to)})


def strided_slice(x: Tensor, index: Index) -> Tensor:
    """`x[index]` for integers, slices and an ellipsis; new axes and index arrays are not supported."""
    parts = _parts(x, index)
    ranges = [_range(p, size) for p, size in zip(parts, x.shape, strict=True)]
    shrink = tuple(i for i, p in enumerate(parts) if isinstance(p, int))
    attrs: dict[str, Attr] = {
        "begin": tuple(r.start for r in ranges),
        "end": tuple(r.stop for r in ranges),
        "strides": tuple(r.step for r in ranges),
        "shrink_axes": shrink,
    }

    def pull(dy: Array) -> tuple[Array]:
        dx = np.zeros(x.shape, dy.dtype)
        dx[tuple(parts)] = dy
        return (dx,)

    return apply("strided_slice", (x,), x._data[tuple(parts)], pull, attrs)


def _parts(x: Tensor, index: Index) -> list[int | slice]:
    given = list(index) if isinstance(index, tuple) else [index]
    if any(isinstance(p, bool) or not isinstance(p, int | slice | EllipsisType) for p in given):
        fail("strided_slice", f"takes integers, slices and an ellipsis, got {index!r}")
    if not any(p is Ellipsis for p in given):
        given.append(Ellipsis)
    at = next(i for i, p in enumerate(given) if p is Ellipsis)
    missing = x.ndim - len(given) + 1
    if missing < 0 or any(p is Ellipsis for p in given[at + 1 :]):
        fail("strided_slice", f"{index!r} has more parts than the {x.ndim} axes of {x.shape}")
    filled = [*given[:at], *[slice(None)] * missing, *given[at + 1 :]]
    parts = [p for p in filled if isinstance(p, int | slice)]
    for axis, part in enumerate(parts):
        if isinstance(part, int) and not -x.shape[axis] <= part < x.shape[axis]:
            fail("strided_slice", f"index {part} is outside axis {axis} of {x.shape}")
    return parts


def _range(part: int | slice, size: int) -> range:
    if isinstance(part, int):
        return range(part % size, part % size + 1)
    return range(*part.indices(size))
