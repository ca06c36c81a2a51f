"""A float .tflite file, quantised by a calibration set that lies in an .npy or .npz file."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from edgegen.codegen.export.tflite import write_tflite
from edgegen.codegen.graph import Array, DType, Graph
from edgegen.codegen.quantization.pipeline import quantize_float_graph
from edgegen.codegen.source import QuantizedSource
from edgegen.errors import ModelError, UsageError
from edgegen.frontend.importers.tflite import load_tflite


def is_float(graph: Graph) -> bool:
    """Whether nothing of a graph is quantised and its inputs are floats."""
    floats = all(tensor.dtype is DType.FLOAT32 for tensor in graph.input_tensors())
    return floats and all(tensor.quantization is None for tensor in graph.tensors.values())


def quantize_float_tflite(source: QuantizedSource, calibration: Path) -> QuantizedSource:
    """The same model in int8. Samples are (V, ...) with or without the model's own batch axis of 1.

    UsageError for a file that cannot be read or a model that is no float one, ModelError for data that do
    not fit.
    """
    graph = load_tflite(source.tflite, name=source.name)
    if not is_float(graph):
        raise UsageError(f"{source.described} is quantised already; build it without --calibration")
    arrays = _read(calibration, graph)
    try:
        model = quantize_float_graph(graph, arrays)
    except ModelError as problem:
        raise ModelError(f"{source.described}, calibrated by {calibration}: {problem}") from problem
    return QuantizedSource(
        name=source.name,
        tflite=write_tflite(model.graph),
        described=source.described,
        file_name=source.file_name,
        report=model,
    )


def _read(path: Path, graph: Graph) -> list[Array]:
    """One array an input: of an .npz by the inputs' names, else in the order of the file."""
    try:
        loaded = np.load(io.BytesIO(path.read_bytes()), allow_pickle=False)
        named = dict(loaded) if isinstance(loaded, np.lib.npyio.NpzFile) else {"": loaded}
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror or problem}") from problem
    except ValueError as problem:
        raise UsageError(f"{path} is no .npy or .npz file of numbers: {problem}") from problem
    except Exception as problem:  # zipfile and numpy have many ways to fail on a damaged file
        raise UsageError(f"{path} is damaged: {problem}") from problem
    inputs = graph.input_tensors()
    if len(named) != len(inputs):
        names = ", ".join(tensor.name for tensor in inputs)
        raise UsageError(f"{path} holds {len(named)} arrays, the model has {len(inputs)} inputs: {names}")
    by_name = all(tensor.name in named for tensor in inputs)
    arrays = [named[tensor.name] for tensor in inputs] if by_name else list(named.values())
    return [_samples(array, tensor.shape) for array, tensor in zip(arrays, inputs, strict=True)]


def _samples(array: Array, shape: tuple[int, ...]) -> Array:
    """(V, 1, ...) as (V, ...), which is what calibration takes."""
    if array.ndim == len(shape) + 1 and array.shape[1:] == shape:
        return array.reshape(len(array), *shape[1:])
    return array
