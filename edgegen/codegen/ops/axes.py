"""Axes, shapes and lists of integers that constants or attributes give to the operators of data movement."""

from __future__ import annotations

from collections.abc import Sequence

from edgegen.codegen.ops.base import NodeView


def normal_axis(view: NodeView, axis: int, rank: int) -> int:
    """An axis from 0 on; negative ones count from the end."""
    if not -rank <= axis < rank:
        raise view.error(f"axis {axis} is not one of {rank} dimensions")
    return axis % rank if rank else 0


def constant_integers(view: NodeView, position: int, what: str) -> tuple[int, ...]:
    """The numbers of a constant int32 or int64 input."""
    data = view.constant(position, what)
    if data.dtype.kind not in "iu":
        raise view.error(f"{what} must be integers, got {view.input(position).describe()}")
    return tuple(int(value) for value in data.reshape(-1))


def constant_axis(view: NodeView, position: int, rank: int) -> int:
    """The one axis that a constant input names."""
    values = constant_integers(view, position, "the axis")
    if len(values) != 1:
        raise view.error(f"takes one axis, got {list(values)}")
    return normal_axis(view, values[0], rank)


def per_axis(view: NodeView, position: int, what: str, rank: int) -> tuple[int, ...]:
    """A constant list with one number for each axis."""
    values = constant_integers(view, position, what)
    if len(values) != rank:
        raise view.error(f"{what} takes {rank} numbers, got {list(values)}")
    return values


def constant_pairs(view: NodeView, position: int, what: str, count: int) -> tuple[tuple[int, int], ...]:
    """A constant (count, 2) matrix of numbers of at least 0."""
    values = constant_integers(view, position, what)
    if len(values) != 2 * count or min(values, default=0) < 0:
        raise view.error(f"{what} takes {count} pairs of numbers from 0 on, got {list(values)}")
    return tuple(zip(values[::2], values[1::2], strict=True))


def speaks_of_channels(view: NodeView, channels: int) -> bool:
    """Whether a constant of integers could be taken for one that has an element a channel.

    Who removes channels cuts such constants; an axis or a size must not be cut.
    """
    return any(
        tensor is not None and tensor.constant and tensor.shape[-1:] == (channels,)
        for tensor in view.inputs[1:]
    )


def resolved_shape(view: NodeView, shape: Sequence[int], elements: int) -> tuple[int, ...]:
    """A shape whose one -1 is computed; it must hold exactly `elements`."""
    known = 1
    for size in shape:
        known *= 1 if size == -1 else size
    free = sum(size == -1 for size in shape)
    if free == 1 and known > 0 and elements % known == 0:
        return tuple(elements // known if size == -1 else size for size in shape)
    if free or known != elements or min(shape, default=0) < 0:
        raise view.error(f"{elements} elements of {view.input(0).describe()} do not fill {list(shape)}")
    return tuple(shape)
