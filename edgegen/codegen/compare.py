"""Comparison with another runtime: every tensor that both compute, byte by byte."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.reference import Reference
from edgegen.codegen.verify import Project, open_project, proof_inputs
from edgegen.errors import MismatchError
from edgegen.frontend.importers.tflite import tensor_index
from edgegen.oracle.base import Oracle


@dataclass(frozen=True)
class CompareReport:
    """How two runtimes agree. `lines` are for people."""

    against: str
    version: str
    vectors: int
    tensors: int
    bytes_compared: int
    differing_bytes: int
    lines: tuple[str, ...]


def compare_with(folder: Path, against: str, *, vectors: int | None, seed: int = 2) -> CompareReport:
    """Compare a project's model with TensorFlow Lite Micro (`tflm`) or LiteRT (`litert`).

    The first must agree in every byte, or MismatchError names the first tensor that differs; the second
    rounds otherwise, and the report shows by how much.
    """
    project = open_project(folder)
    inputs = proof_inputs(project, vectors, seed=seed)
    reference = Reference(project.graph).run(inputs, keep=True)
    oracle = _oracle(against)
    with oracle:
        # vectors are the steps of a sequence, as they are for the reference
        trace = oracle.trace(project.tflite, inputs, sequence=True)
    outputs = dict(zip(project.graph.outputs, trace.outputs, strict=True))
    theirs = {**_by_name(project.graph, trace.tensors), **outputs}
    rows = [
        _row(project, name, reference.tensors[name], theirs[name])
        for name in _computed(project.graph, theirs)
    ]
    wrong = [row for row in rows if row.wrong]
    if wrong and against == "tflm":
        raise MismatchError(f"{project.manifest.model} differs from {oracle.name}: {wrong[0].text}")
    return CompareReport(
        against=oracle.name,
        version=oracle.version(),
        vectors=len(inputs[0]),
        tensors=len(rows),
        bytes_compared=sum(row.bytes for row in rows),
        differing_bytes=sum(row.wrong for row in rows),
        lines=_lines(oracle, rows, len(inputs[0])),
    )


@dataclass(frozen=True)
class _Row:
    bytes: int
    wrong: int
    text: str


def _oracle(against: str) -> Oracle:
    if against == "tflm":
        from edgegen.oracle.tflm import TflmOracle

        return TflmOracle()
    from edgegen.oracle.litert import LitertOracle

    return LitertOracle()


def _by_name(graph: Graph, tensors: Mapping[int, Array]) -> dict[str, Array]:
    found = {}
    for tensor in graph.tensors.values():
        index = tensor_index(tensor)
        if index is not None and index in tensors:
            found[tensor.name] = tensors[index]
    return found


def _computed(graph: Graph, theirs: Mapping[str, Array]) -> list[str]:
    """Tensors in the order in which they are computed."""
    return [name for node in graph.nodes for name in node.outputs if name in theirs]


def _row(project: Project, name: str, mine: Array, other: Array) -> _Row:
    producer = project.graph.producer(name)
    op = "" if producer is None else producer.op
    a = np.ascontiguousarray(mine).reshape(-1)
    b = np.ascontiguousarray(other).reshape(-1)
    index = tensor_index(project.graph.tensors[name])
    label = f"{op} '{name}' (tensor {index})"
    if a.dtype != b.dtype or a.size != b.size:
        return _Row(a.nbytes, a.nbytes, f"{label}: {b.dtype} x {b.size} instead of {a.dtype} x {a.size}")
    wrong = np.flatnonzero(a.view(np.uint8) != b.view(np.uint8)) // a.itemsize
    if not wrong.size:
        return _Row(a.nbytes, 0, f"{label}: equal")
    at = int(wrong[0])
    largest = np.abs(a.astype(np.float64) - b.astype(np.float64)).max()
    size = a.size // len(mine)
    return _Row(
        a.nbytes,
        int(np.unique(wrong).size),
        f"{label}: {np.unique(wrong).size} of {a.size} elements differ, by up to {largest:g}; the first in "
        f"vector {at // size}, element {at % size}: edgegen {a[at]}, the other {b[at]}",
    )


def _lines(oracle: Oracle, rows: Sequence[_Row], vectors: int) -> tuple[str, ...]:
    compared = sum(row.bytes for row in rows)
    if not any(row.wrong for row in rows):
        return (
            f"edgegen = {oracle.name} {oracle.version()}: {vectors} vectors, {len(rows)} tensors, "
            f"{compared:,} bytes, all equal",
        )
    head = f"edgegen and {oracle.name} {oracle.version()} over {vectors} vectors, layer by layer:"
    return (head, *(f"  {row.text}" for row in rows))
