"""Calibration: runs the float graph over representative data and keeps a range for every activation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from edgegen.codegen.float_run import run_float
from edgegen.codegen.graph import Array, Graph, Tensor
from edgegen.codegen.quantization.observers import OBSERVERS, Range
from edgegen.codegen.quantization.options import QuantizeOptions
from edgegen.errors import ModelError


def checked_samples(graph: Graph, data: Array | Sequence[Array]) -> list[Array]:
    """Calibration data as vectors (V, *shape), one array an input. ModelError for data that cannot be used.

    A model's only input may be given as one array (V, ...) without the batch axis of 1.
    """
    arrays = [data] if isinstance(data, np.ndarray) else list(data)
    tensors = graph.input_tensors()
    if len(arrays) != len(tensors):
        raise ModelError(f"calibration takes one array an input, {len(tensors)} in all, got {len(arrays)}")
    return [_checked(tensor, array) for tensor, array in zip(tensors, arrays, strict=True)]


def _checked(tensor: Tensor, data: Array) -> Array:
    array = np.asarray(data)
    if array.dtype.kind not in "fiu" or array.ndim == 0:
        raise ModelError(
            f"calibration data for '{tensor.name}' must be numbers, got {array.dtype}{list(array.shape)}"
        )
    if len(array) == 0:
        raise ModelError(f"the calibration set for '{tensor.name}' is empty; give some typical inputs")
    if array.shape[1:] not in (tensor.shape, tensor.shape[1:]):
        raise ModelError(
            f"calibration data for '{tensor.name}': samples take the shape {list(tensor.shape[1:])}, "
            f"got {list(array.shape[1:])}"
        )
    array = array.reshape(len(array), *tensor.shape).astype(np.float32)
    bad = np.flatnonzero(~np.isfinite(array).reshape(len(array), -1).all(axis=1))
    if bad.size:
        raise ModelError(
            f"calibration data for '{tensor.name}' holds NaN or infinite values, first in sample {bad[0]}"
        )
    return array


def calibrate(graph: Graph, samples: Sequence[Array], options: QuantizeOptions) -> Mapping[str, Range]:
    """The range of every float activation. ModelError where the network itself gives NaN or infinity."""
    observe = OBSERVERS[options.method]
    ranges = {}
    for name, values in run_float(graph, samples).items():
        if values.dtype.kind != "f":
            continue
        if not np.isfinite(values).all():
            producer = graph.producer(name)
            where = "the input" if producer is None else f"{producer.op} '{producer.name}'"
            raise ModelError(f"{where} gives NaN or infinite values on the calibration data")
        ranges[name] = observe(values, options.percentile)
    return ranges
