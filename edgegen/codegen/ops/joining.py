"""Many tensors to one and one to many, by runs of bytes: kernels `concatenation` and `split`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import Params, reference_only


@dataclass(frozen=True, eq=False)
class JoinParams(Params):
    """`rows` times, `run[i]` bytes of each of `count` tensors; the kernel takes as many pointers."""

    run: Array
    count: int
    rows: int
    shape: tuple[int, ...] = reference_only()


@dataclass(frozen=True, eq=False)
class PartParams(Params):
    """The other way round: `rows` times, `run[i]` bytes to each of `count` tensors."""

    run: Array
    count: int
    rows: int
    shapes: tuple[tuple[int, ...], ...] = reference_only()


def runs(inner: Sequence[Sequence[int]], dtype: DType) -> Array:
    """Bytes of each tensor's axes from the joined one on."""
    return np.array([math.prod(shape) * dtype.bytes for shape in inner], dtype=np.int32)


def join_params(
    inner: Sequence[Sequence[int]], *, outer: Sequence[int], output: tuple[int, ...], dtype: DType
) -> JoinParams:
    return JoinParams(run=runs(inner, dtype), count=len(inner), rows=math.prod(outer), shape=output)


def part_params(
    inner: Sequence[Sequence[int]],
    *,
    outer: Sequence[int],
    outputs: tuple[tuple[int, ...], ...],
    dtype: DType,
) -> PartParams:
    return PartParams(run=runs(inner, dtype), count=len(inner), rows=math.prod(outer), shapes=outputs)


def run_join(params: JoinParams, inputs: Sequence[Array]) -> Array:
    """What `concatenation` does to arrays (V, *shape)."""
    vectors = max(len(x) for x in inputs)
    rows = [_rows(np.broadcast_to(x, (vectors, *x.shape[1:])), params.rows) for x in inputs]
    joined = np.concatenate(rows, axis=2)
    return joined.reshape(vectors, -1).view(inputs[0].dtype).reshape(vectors, *params.shape)


def run_part(params: PartParams, x: Array) -> tuple[Array, ...]:
    """What `split` does to an array (V, *shape)."""
    parts = np.split(_rows(x, params.rows), np.cumsum(params.run)[:-1], axis=2)
    vectors = len(x)
    return tuple(
        np.ascontiguousarray(part).reshape(vectors, -1).view(x.dtype).reshape(vectors, *shape)
        for part, shape in zip(parts, params.shapes, strict=True)
    )


def _rows(x: Array, rows: int) -> Array:
    """(V, rows, bytes)."""
    flat = np.ascontiguousarray(x).reshape(len(x), -1).view(np.uint8)
    return flat.reshape(len(x), rows, -1)
