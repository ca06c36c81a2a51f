"""The .tflite importer: a file as a graph that computes what TensorFlow Lite Micro computes.

Read with the schema's own readers, after every offset and length has been checked (`verify`), so that a
broken or hostile file ends in one ModelError.
"""

from __future__ import annotations

from pathlib import Path

from edgegen.codegen.graph import Graph
from edgegen.frontend.importers.tflite.convert import to_graph
from edgegen.frontend.importers.tflite.file import File
from edgegen.frontend.importers.tflite.reader import read_bytes, read_file
from edgegen.frontend.importers.tflite.tensors import tensor_index

__all__ = ["File", "load_tflite", "read_file", "tensor_index"]


def load_tflite(data: bytes | Path, *, name: str | None = None) -> Graph:
    """The graph of a .tflite file, float or integer, with the file's own scales and zero points.

    `name` defaults to the file's. Tensors and nodes say in `source` which tensor or operator of the file
    they were. Raises ModelError with everything that cannot be used and what to do about it, UsageError for
    a path that cannot be read.
    """
    if isinstance(data, Path):
        return to_graph(read_file(read_bytes(data)), name=name or data.stem)
    return to_graph(read_file(data), name=name or "model")
