"""Test vectors: drawn inputs of every character, and their bytes in the files that a harness reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Graph, Tensor
from edgegen.codegen.ports import vector_bytes, vector_offsets

Draw = Callable[[np.random.Generator, Tensor], Array]


def draw_vectors(graph: Graph, count: int, *, seed: int) -> list[Array]:
    """One array (count, *shape) an input; the kinds take turns, extremes first."""
    rng = np.random.default_rng(seed)
    kinds: tuple[Draw, ...] = (_lowest, _highest, _uniform, _small, _walk, _blocky, _mixed_extremes)
    return [
        np.stack([kinds[i % len(kinds)](rng, tensor) for i in range(count)])
        if count
        else np.zeros((0, *tensor.shape), tensor.dtype.numpy)
        for tensor in graph.input_tensors()
    ]


def pack_vectors(tensors: Sequence[Tensor], arrays: Sequence[Array]) -> bytes:
    """The bytes of vectors (V, *shape), one after the other."""
    count = len(arrays[0]) if arrays else 0
    packed = np.zeros((count, vector_bytes(tensors)), np.uint8)
    for tensor, array, offset in zip(tensors, arrays, vector_offsets(tensors), strict=True):
        raw = np.ascontiguousarray(array).view(np.uint8).reshape(count, tensor.bytes)
        packed[:, offset : offset + tensor.bytes] = raw
    return packed.tobytes()


def unpack_vectors(tensors: Sequence[Tensor], data: bytes) -> list[Array]:
    """The arrays (V, *shape) of packed vectors; ValueError if the last one is cut off."""
    size = vector_bytes(tensors)
    if size == 0 or len(data) % size:
        raise ValueError(f"{len(data)} bytes are no whole number of vectors of {size} bytes")
    rows = np.frombuffer(data, np.uint8).reshape(-1, size)
    return [
        np.ascontiguousarray(rows[:, offset : offset + tensor.bytes])
        .view(tensor.dtype.numpy)
        .reshape(len(rows), *tensor.shape)
        for tensor, offset in zip(tensors, vector_offsets(tensors), strict=True)
    ]


def _limits(tensor: Tensor) -> tuple[int, int]:
    if tensor.dtype.numpy.kind == "b":
        return 0, 1
    info: Any = np.iinfo(tensor.dtype.value)
    return int(info.min), int(info.max)


def _floats(tensor: Tensor) -> bool:
    return tensor.dtype.numpy.kind == "f"


def _lowest(rng: np.random.Generator, tensor: Tensor) -> Array:
    return np.full(tensor.shape, -1e3 if _floats(tensor) else _limits(tensor)[0]).astype(tensor.dtype.numpy)


def _highest(rng: np.random.Generator, tensor: Tensor) -> Array:
    return np.full(tensor.shape, 1e3 if _floats(tensor) else _limits(tensor)[1]).astype(tensor.dtype.numpy)


def _uniform(rng: np.random.Generator, tensor: Tensor) -> Array:
    if _floats(tensor):
        return rng.normal(size=tensor.shape).astype(np.float32)
    low, high = _limits(tensor)
    return rng.integers(low, high, tensor.shape, endpoint=True).astype(tensor.dtype.numpy)


def _small(rng: np.random.Generator, tensor: Tensor) -> Array:
    """A few counts around one level."""
    if _floats(tensor):
        return (rng.normal(size=tensor.shape) * 0.01).astype(np.float32)
    low, high = _limits(tensor)
    level = rng.integers(low, high, endpoint=True)
    near: Array = np.clip(level + rng.integers(-4, 5, tensor.shape), low, high)
    return near.astype(tensor.dtype.numpy)


def _walk(rng: np.random.Generator, tensor: Tensor) -> Array:
    """A random walk along the flattened tensor."""
    if _floats(tensor):
        path: Array = np.cumsum(rng.normal(size=tensor.size) * 0.1).reshape(tensor.shape)
        return path.astype(np.float32)
    low, high = _limits(tensor)
    steps = np.cumsum(rng.integers(-9, 10, tensor.size)) + rng.integers(low // 2, high // 2, endpoint=True)
    clipped: Array = np.clip(steps, low, high).reshape(tensor.shape)
    return clipped.astype(tensor.dtype.numpy)


def _blocky(rng: np.random.Generator, tensor: Tensor) -> Array:
    """Runs of equal values."""
    run = max(1, tensor.size // 8)
    values = _uniform(rng, tensor).reshape(-1)[:: max(run, 1)]
    filled: Array = np.resize(np.repeat(values, run), tensor.size).reshape(tensor.shape)
    return filled.astype(tensor.dtype.numpy)


def _mixed_extremes(rng: np.random.Generator, tensor: Tensor) -> Array:
    """Every element lowest or highest."""
    return np.where(
        rng.integers(0, 2, tensor.shape) == 1, _lowest(rng, tensor), _highest(rng, tensor)
    ).astype(tensor.dtype.numpy)
