"""Traces: the output of every layer of a run, against that of the integer reference, byte by byte."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from edgegen.codegen.graph import Array, Graph, Tensor
from edgegen.codegen.ports import vector_bytes
from edgegen.codegen.project import LayerRecord, RegionRecord
from edgegen.codegen.vectors import pack_vectors
from edgegen.errors import UsageError

OUTPUT_LAYER = -1
HEAD = struct.Struct("<ii")


@dataclass(frozen=True, eq=False)
class _Record:
    """One record of a vector's trace: where its data starts, and which part of which tensor it is."""

    layer: LayerRecord | None
    tensor: Tensor | None
    start: int
    bytes: int
    part: int


class TraceLayout:
    """The records of a trace of one vector: every layer that is called, then the output."""

    def __init__(
        self, graph: Graph, layers: Sequence[LayerRecord], regions: Sequence[RegionRecord] = ()
    ) -> None:
        """`graph` is the one that was lowered. UsageError if the layers are not of this graph."""
        self._graph = graph
        self._records: list[_Record] = []
        self.bytes = 0
        inside = {index: region for region in regions for index in range(region.first, region.last + 1)}
        for layer in layers:
            region = inside.get(layer.index)
            if region is None:
                self._add_layer(layer)
            elif layer.index == region.first:
                self._add_rows(region, layers)
        self._add(None, None, vector_bytes(graph.output_tensors()))

    def expected(self, tensors: Mapping[str, Array]) -> Array:
        """The bytes of a right trace, one row a vector, from the arrays (V, *shape) of the reference."""
        outputs = [tensors[name] for name in self._graph.outputs]
        rows = np.zeros((len(outputs[0]), self.bytes), np.uint8)
        for record in self._records:
            index = OUTPUT_LAYER if record.layer is None else record.layer.index
            head = HEAD.pack(index, record.bytes)
            rows[:, record.start - HEAD.size : record.start] = np.frombuffer(head, np.uint8)
            if record.tensor is None:
                data = np.frombuffer(pack_vectors(self._graph.output_tensors(), outputs), np.uint8)
            else:
                data = np.ascontiguousarray(tensors[record.tensor.name]).view(np.uint8)
            part = slice(record.part * record.bytes, (record.part + 1) * record.bytes)
            rows[:, record.start : record.start + record.bytes] = data.reshape(len(rows), -1)[:, part]
        return rows

    def difference(self, got: bytes, expected: Array) -> str | None:
        """Words for the first layer that differs in any vector, with numbers; None if all is equal."""
        if len(got) != expected.size:
            return f"the trace has {len(got)} bytes instead of {expected.size}"
        rows = np.frombuffer(got, np.uint8).reshape(expected.shape)
        columns = np.flatnonzero((rows != expected).any(axis=0))
        if not columns.size:
            return None
        record = next(r for r in self._records if columns[0] < r.start + r.bytes)
        if columns[0] < record.start:
            return (
                f"the trace has other layers than the manifest, from record {self._records.index(record)} on"
            )
        place = slice(record.start, record.start + record.bytes)
        vector = int(np.flatnonzero((rows[:, place] != expected[:, place]).any(axis=1))[0])
        numbers = _numbers(record.tensor, rows[vector, place], expected[vector, place])
        whole = record.tensor is None or record.tensor.bytes == record.bytes
        where = "" if whole else f" row {record.part},"
        return f"first diverging layer: {_title(record.layer)},{where} in vector {vector}: {numbers}"

    def _tensor(self, layer: LayerRecord) -> Tensor | None:
        tensor = self._graph.tensors.get(layer.output)
        if layer.output and tensor is None:
            raise UsageError(f"layer '{layer.name}' is none of this model; build the project again")
        return tensor

    def _add_layer(self, layer: LayerRecord) -> None:
        tensor = self._tensor(layer)
        if layer.kernel and tensor is not None and tensor.bytes:
            self._add(layer, tensor, tensor.bytes)

    def _add_rows(self, region: RegionRecord, layers: Sequence[LayerRecord]) -> None:
        """Rows in the order in which the region computes them."""
        by_index = {layer.index: layer for layer in layers}
        done: dict[int, int] = {}
        for index in region.order:
            layer = by_index[index]
            tensor = self._tensor(layer)
            assert tensor is not None
            row = done.setdefault(index, 0)
            self._add(layer, tensor, tensor.bytes // tensor.shape[1], row)
            done[index] = row + 1

    def _add(self, layer: LayerRecord | None, tensor: Tensor | None, size: int, part: int = 0) -> None:
        self._records.append(_Record(layer, tensor, self.bytes + HEAD.size, size, part))
        self.bytes += HEAD.size + size


def _title(layer: LayerRecord | None) -> str:
    if layer is None:
        return "none, every layer agrees and only what is returned differs"
    return f"{layer.index} {layer.op} '{layer.name}' (kernel {layer.kernel})"


def _numbers(tensor: Tensor | None, got: Array, expected: Array) -> str:
    """How many elements differ, and the first of them."""
    dtype = np.dtype(np.uint8) if tensor is None else tensor.dtype.numpy
    a, b = np.ascontiguousarray(got).view(dtype), np.ascontiguousarray(expected).view(dtype)
    width = dtype.itemsize
    wrong = np.flatnonzero((got != expected).reshape(-1, width).any(axis=1))
    at = int(wrong[0])
    return (
        f"{wrong.size} of {a.size} elements differ, the first is element {at}: expected {b[at]}, got {a[at]}"
    )
