"""Data movement: operators that place input elements elsewhere and compute nothing.

Such an operator says once, as a NumPy function, which element goes where. Applied to the numbers of the
input's elements, that function gives a map; if the place is a sum of one term an axis, one of three kernels
does the work: `copy` where nothing moves, `copy_nd` where every axis has a stride, `remap` with one table an
axis otherwise.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from edgegen.codegen.arithmetic import Int64
from edgegen.codegen.graph import Array, Tensor
from edgegen.codegen.ops.axes import speaks_of_channels
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, reference_only

LOOPS = 6
"""Loops of the kernels, after neighbouring axes have been merged."""

HOLE = -(1 << 48)
"""In a map: filled, not taken from the input."""


@dataclass(frozen=True, eq=False)
class CopyParams(Params):
    """out = in."""

    bytes: int
    shape: tuple[int, ...] = reference_only()


@dataclass(frozen=True, eq=False)
class CopyNdParams(Params):
    """Blocks of `block` bytes from strided places to consecutive ones; offset and steps are bytes."""

    size: tuple[int, ...]
    step: tuple[int, ...]
    offset: int
    block: int
    shape: tuple[int, ...] = reference_only()


@dataclass(frozen=True, eq=False)
class RemapParams(Params):
    """Blocks from places that are sums of one entry an axis of `place`; below zero they are filled.

    `place` holds the tables of all axes one after the other, in bytes.
    """

    place: Array
    size: tuple[int, ...]
    block: int
    fill: int
    shape: tuple[int, ...] = reference_only()


class Movement(Operator):
    """An operator that moves elements of its first input; the other inputs are constants that say where."""

    types = "int8, uint8, int16, int32, int64, float32, bool"
    monotone = True
    data: ClassVar[int] = 0
    """The position of the tensor among the inputs."""
    any_channels: ClassVar[bool] = False
    """Whether attributes and constants say the same of a tensor that has lost channels."""
    keeps_quantization = True

    @abstractmethod
    def move(self, view: NodeView, x: Array) -> Array:
        """The output (V, *shape) for inputs of any element type, (V, *shape)."""

    def fill(self, view: NodeView) -> int:
        """The byte that `HOLE`s get."""
        return 0

    def places(self, view: NodeView) -> Int64:
        """The number of the input element at each place of the output, or `HOLE`."""
        places: Int64 = self.move(view, element_numbers(view, self.data))[0]
        return places

    def output_shape(self, view: NodeView) -> tuple[int, ...]:
        """By default what `move` gives; its errors are the model's."""
        weightless = np.broadcast_to(np.int8(0), (1, *view.input(self.data).shape))
        return self.move(view, weightless).shape[1:]

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        return (TensorType(self.output_shape(view), view.input(self.data).dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[self.data]
        assert x is not None
        return (self.move(view, x),)

    def prepare(self, view: NodeView) -> Params:
        x = view.input(self.data)
        same_types(view, x)
        found = movement_params(self.places(view), x.dtype.bytes, fill=self.fill(view), source=x.size)
        if found is None:
            raise view.error(f"moves {x.describe()} in a way that takes more than {LOOPS} loops")
        return found

    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (run_movement(params, inputs[0]),)

    def call(self, view: NodeView, params: Any) -> Call:
        return movement_call(params, self.data)

    def channel_sources(self, view: NodeView) -> Array | None:
        x = view.input(self.data)
        if not self.any_channels or not x.shape or speaks_of_channels(view, x.shape[-1]):
            return None
        return channels_kept(x, self.places(view))


def same_types(view: NodeView, x: Tensor) -> None:
    """Movement keeps the type of what it moves."""
    for y in view.outputs:
        if y.dtype is not x.dtype:
            raise view.error(f"keeps the type of {x.describe()}, got {y.describe()}")


def element_numbers(view: NodeView, position: int = 0) -> Int64:
    """The numbers of an input's elements, (1, *shape)."""
    x = view.input(position)
    return np.arange(x.size, dtype=np.int64).reshape(1, *x.shape)


def movement_call(params: Params, position: int = 0) -> Call:
    """The kernel that goes with these parameters, on one input."""
    if isinstance(params, CopyParams):
        return Call(kernel="copy", params=params, inputs=(position,), in_place=(position,))
    kernel = "copy_nd" if isinstance(params, CopyNdParams) else "remap"
    return Call(kernel=kernel, params=params, inputs=(position,))


def copy_params(x: Tensor) -> CopyParams:
    """Parameters that copy a whole tensor."""
    return CopyParams(bytes=x.bytes, shape=x.shape)


def run_movement(params: Params, x: Array) -> Array:
    """What the movement kernels do to (V, *shape)."""
    if isinstance(params, CopyParams):
        return x.reshape(x.shape[0], *params.shape)
    if isinstance(params, CopyNdParams):
        return _run_copy_nd(params, x)
    assert isinstance(params, RemapParams)
    return _run_remap(params, x)


def movement_params(places: Int64, element: int, *, fill: int, source: int) -> Params | None:
    """Parameters for a map of element numbers; None if the kernels' loops do not suffice."""
    if places.size == source and np.array_equal(places.reshape(-1), np.arange(source)):
        return CopyParams(bytes=source * element, shape=places.shape)
    found = _terms(places)
    if found is None:
        return None
    origin, terms = found
    if origin == HOLE:
        holes = np.array([-(2**31), *(0,) * (LOOPS - 1)], np.int32)
        whole = places.size * element
        return RemapParams(place=holes, size=(1,) * LOOPS, block=whole, fill=fill, shape=places.shape)
    axes, block = _merged([term for term in terms if len(term) > 1])
    if len(axes) > LOOPS:
        return None
    padded = [np.zeros(1, np.int64)] * (LOOPS - len(axes)) + axes
    size = tuple(len(term) for term in padded)
    strides = [_stride(term) for term in padded]
    if None not in strides:
        steps = tuple(0 if stride is None else stride * element for stride in strides)
        return CopyNdParams(
            size=size, step=steps, offset=origin * element, block=block * element, shape=places.shape
        )
    tables = np.concatenate(_at_least_zero(padded, origin)) * element
    table = np.where(tables < 0, -(2**31), tables).astype(np.int32)
    return RemapParams(place=table, size=size, block=block * element, fill=fill, shape=places.shape)


def channels_kept(x: Tensor, places: Int64) -> Array | None:
    """The input channel of each output channel, where a map keeps the last axis apart."""
    shape = x.shape
    if not shape or not places.ndim or not places.size or np.any(places == HOLE):
        return None
    channels = places % shape[-1]
    first = channels.reshape(-1, places.shape[-1])[0]
    return first if np.array_equal(np.broadcast_to(first, channels.shape), channels) else None


def _terms(places: Int64) -> tuple[int, list[Int64]] | None:
    """A map as an origin and one term an axis that starts at the origin; None if it is no such sum.

    The origin is `HOLE` where nothing is taken from the input.
    """
    first = int(np.argmax(places.reshape(-1) != HOLE))
    base = tuple(int(index) for index in np.unravel_index(first, places.shape))
    if places[base] == HOLE:
        return HOLE, []
    origin = int(places[base])
    terms = []
    for axis in range(places.ndim):
        line = np.moveaxis(places, axis, -1)[*base[:axis], *base[axis + 1 :]]
        terms.append(np.where(line == HOLE, HOLE, line - origin))
    return (origin, terms) if np.array_equal(_sum(terms, origin), places) else None


def _sum(terms: Sequence[Int64], origin: int) -> Int64:
    total = np.full((1,) * len(terms), origin, np.int64)
    for axis, term in enumerate(terms):
        total = total + term.reshape(-1, *(1,) * (len(terms) - axis - 1))
    return np.where(total < HOLE // 2, HOLE, total)


def _stride(term: Int64) -> int | None:
    """The distance from each entry to the next; None where it varies or where there is a hole."""
    if np.any(term == HOLE):
        return None
    if len(term) == 1:
        return 0 if term[0] == 0 else None
    steps = np.diff(term)
    regular = term[0] == 0 and bool(np.all(steps == steps[0]))
    return int(steps[0]) if regular else None


def _merged(terms: Sequence[Int64]) -> tuple[list[Int64], int]:
    """Fewer axes: neighbours that one loop can run over, and the elements that lie together at the end."""
    axes: list[Int64] = []
    for term in terms:
        last = _stride(axes[-1]) if axes else None
        step = _stride(term)
        if last is not None and step is not None and last == step * len(term):
            axes[-1] = np.arange(len(axes[-1]) * len(term)) * step
        else:
            axes.append(term)
    if axes and _stride(axes[-1]) == 1:
        return axes[:-1], len(axes[-1])
    return axes, 1


def _at_least_zero(terms: Sequence[Int64], origin: int) -> list[Int64]:
    """The same sums with no negative entry but holes, so that a negative place tells a hole."""
    lows = [int(term[term != HOLE].min()) if np.any(term != HOLE) else 0 for term in terms]
    shifted = [np.where(term == HOLE, HOLE, term - low) for term, low in zip(terms, lows, strict=True)]
    rest = origin + sum(lows)
    shifted[0] = np.where(shifted[0] == HOLE, HOLE, shifted[0] + rest)
    return shifted


def _run_copy_nd(params: CopyNdParams, x: Array) -> Array:
    flat = np.ascontiguousarray(x).reshape(x.shape[0], -1).view(np.uint8)
    at = params.offset + _sum([np.arange(n) * s for n, s in zip(params.size, params.step, strict=True)], 0)
    blocks = flat[:, at[..., np.newaxis] + np.arange(params.block)]
    return _typed(blocks, x, params.shape)


def _run_remap(params: RemapParams, x: Array) -> Array:
    flat = np.ascontiguousarray(x).reshape(x.shape[0], -1).view(np.uint8)
    ends = np.cumsum(params.size)[:-1]
    places = np.split(params.place.astype(np.int64), ends)
    at = _sum([np.where(place < 0, HOLE, place) for place in places], 0)
    hole = (at == HOLE)[..., np.newaxis]
    blocks = flat[:, np.where(hole, 0, at[..., np.newaxis] + np.arange(params.block))]
    blocks = np.where(hole, np.uint8(params.fill & 255), blocks)
    return _typed(blocks, x, params.shape)


def _typed(blocks: Array, x: Array, shape: tuple[int, ...]) -> Array:
    return np.ascontiguousarray(blocks).reshape(x.shape[0], -1).view(x.dtype).reshape(x.shape[0], *shape)
