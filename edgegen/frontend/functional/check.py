"""Checks that several functions share; each refuses by `fail`, which names operation, module and line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edgegen.frontend.arrays.windows import Padding, Pair, Window, same_padding
from edgegen.frontend.mode import fail
from edgegen.frontend.tensor import Tensor

# "same", "valid" or ((top, bottom), (left, right)).
PaddingLike = str | Padding


def floats(op: str, *inputs: Tensor) -> None:
    """All inputs are of one floating-point type."""
    types = [t.dtype for t in inputs]
    if any(t.kind != "f" for t in types) or len(set(types)) > 1:
        found = ", ".join(str(t) for t in types)
        fail(op, f"takes floats of one type, got {found}; convert by .astype(np.float32)")


def rank(op: str, what: str, tensor: Tensor, axes: Sequence[str]) -> None:
    """`tensor` has as many axes as `axes` names."""
    if tensor.ndim != len(axes):
        fail(op, f"{what} takes ({', '.join(axes)}), got the shape {tensor.shape}")


def shape(op: str, what: str, tensor: Tensor, expected: tuple[int, ...]) -> None:
    """`tensor` has the shape `expected`."""
    if tensor.shape != expected:
        fail(op, f"{what} takes the shape {expected}, got {tensor.shape}")


def pair(op: str, what: str, value: int | Pair) -> Pair:
    """A positive number, or two of them, as (rows, columns)."""
    both = (value, value) if isinstance(value, int) else tuple(value)
    if len(both) != 2 or any(
        isinstance(v, bool) or not isinstance(v, int | np.integer) or v < 1 for v in both
    ):
        fail(op, f"{what} takes a positive number or (rows, columns), got {value!r}")
    return int(both[0]), int(both[1])


def window(
    op: str,
    image: Pair,
    size: int | Pair,
    stride: int | Pair,
    dilation: int | Pair = 1,
    padding: PaddingLike = "valid",
) -> Window:
    """The window with its padding in pixels for an `image` of (rows, columns); refused if it does not fit."""
    free = Window(pair(op, "size", size), pair(op, "stride", stride), pair(op, "dilation", dilation))
    found = Window(free.size, free.stride, free.dilation, _padding(op, image, free, padding))
    if min(found.output(image)) < 1:
        fail(op, f"a window of {found.extent} does not fit the image {image} padded by {found.padding}")
    return found


def _padding(op: str, image: Pair, free: Window, padding: PaddingLike) -> Padding:
    if padding == "same":
        return same_padding(image, free)
    if padding == "valid":
        return (0, 0), (0, 0)
    sides = np.asarray(padding if not isinstance(padding, str) else [])
    if sides.shape != (2, 2) or sides.dtype.kind not in "iu" or sides.min() < 0:
        fail(op, f"padding takes 'same', 'valid' or ((top, bottom), (left, right)), got {padding!r}")
    (top, bottom), (left, right) = sides.tolist()
    return (top, bottom), (left, right)


def axes(op: str, tensor: Tensor, wanted: int | Sequence[int] | None) -> tuple[int, ...]:
    """Sorted non-negative axes; all for None."""
    if wanted is None:
        return tuple(range(tensor.ndim))
    given = (wanted,) if isinstance(wanted, int) else tuple(wanted)
    found = sorted(axis(op, tensor, a) for a in given)
    if len(set(found)) != len(found):
        fail(op, f"axes {given} name one twice")
    return tuple(found)


def axis(op: str, tensor: Tensor, wanted: int) -> int:
    """One axis, counted from the front."""
    if not -tensor.ndim <= wanted < tensor.ndim:
        fail(op, f"axis {wanted} of a tensor of shape {tensor.shape} does not exist")
    return wanted % tensor.ndim
