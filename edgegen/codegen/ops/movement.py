"""Data movement: operators that place input elements elsewhere and compute nothing.

Such an operator says once, as a NumPy function, which element goes where. Applied to the numbers of the
input's elements, that function gives a map; if the place is a sum of one term an axis, one of two kernels
does the work: `copy_nd` where every axis has a stride, `remap` with one table an axis otherwise.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from edgegen.codegen.arithmetic import Int64
from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params

RANK = 6
"""Loops of the kernels, after neighbouring axes have been merged."""

HOLE = -1
"""In a map: filled, not taken from the input."""


@dataclass(frozen=True, eq=False)
class ShapedParams(Params):
    """Parameters of a kernel that sees bytes only: the shape of the output is the host's own knowledge."""

    output_shape: InitVar[tuple[int, ...]]

    def __post_init__(self, output_shape: tuple[int, ...]) -> None:
        object.__setattr__(self, "_shape", output_shape)

    @property
    def shape_of_output(self) -> tuple[int, ...]:
        shape: tuple[int, ...] = self.__dict__["_shape"]
        return shape


@dataclass(frozen=True, eq=False)
class CopyParams(ShapedParams):
    """out = in."""

    bytes: int


@dataclass(frozen=True, eq=False)
class CopyNdParams(ShapedParams):
    """Blocks of bytes from strided places to consecutive ones; all numbers in bytes but `extent`."""

    extent: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    block: int


@dataclass(frozen=True, eq=False)
class RemapParams(ShapedParams):
    """Blocks of bytes from places that are sums of one table entry an axis; a negative entry means `fill`.

    `place` holds the tables of all axes one after the other, in bytes.
    """

    place: Array
    extent: tuple[int, ...]
    block: int
    fill: int


@dataclass(frozen=True)
class Axes:
    """A map as a sum: the place of an output element is the sum of one entry of each axis's terms."""

    terms: tuple[Int64, ...]

    @property
    def strided(self) -> bool:
        return all(_stride(term) is not None for term in self.terms)


def copy_params(count: int, element: int, output_shape: tuple[int, ...]) -> CopyParams:
    return CopyParams(bytes=count * element, output_shape=output_shape)


def separate(places: Int64) -> Axes | None:
    """The map as a sum of terms; None where it is none. The first axis that has terms carries the base."""
    if not places.size:
        return Axes(tuple(np.zeros(extent, np.int64) for extent in places.shape))
    real = np.argwhere(places != HOLE)
    base = tuple(real[0]) if len(real) else (0,) * places.ndim
    origin = int(places[base]) if places.ndim else int(places)
    terms = []
    for axis in range(places.ndim):
        line = places[(*base[:axis], slice(None), *base[axis + 1 :])]
        terms.append(np.where(line == HOLE, HOLE, line - origin))
    terms = _non_negative(terms, origin)
    return Axes(tuple(terms)) if np.array_equal(_sum(terms, places.shape), places) else None


def _non_negative(terms: Sequence[Int64], origin: int) -> list[Int64]:
    """The same sum with every entry but holes at least 0 and the origin in the first axis."""
    shifted = []
    for term in terms:
        inside = term[term != HOLE] if np.any(term != HOLE) else np.zeros(1, np.int64)
        # -1 as a difference and -1 as a hole look alike only in a line that has its hole elsewhere
        low = int(inside.min())
        origin += low
        shifted.append(np.where(term == HOLE, HOLE, term - low))
    if shifted:
        shifted[0] = np.where(shifted[0] == HOLE, HOLE, shifted[0] + origin)
    return shifted


def _sum(terms: Sequence[Int64], shape: tuple[int, ...]) -> Int64:
    total = np.zeros(shape, np.int64)
    hole = np.zeros(shape, bool)
    for axis, term in enumerate(terms):
        wide = term.reshape(-1, *(1,) * (len(shape) - axis - 1))
        total = total + wide
        hole = hole | (wide == HOLE)
    return np.where(hole, HOLE, total)
