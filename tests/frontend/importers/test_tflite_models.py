"""Published .tflite models: every intermediate tensor is TFLM's, byte for byte. Needs EDGEGEN_MODELS."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from edgegen.codegen.export.tflite import export_tflite
from edgegen.codegen.graph import Array, Graph
from edgegen.frontend.importers.tflite import load_tflite, tensor_index
from tests.exactness import compare, oracle, random_inputs, run_host, run_reference, tflm_exists

FOLDER = os.environ.get("EDGEGEN_MODELS")
FILES = sorted(Path(FOLDER).glob("*.tflite")) if FOLDER else []

pytestmark = [
    pytest.mark.skipif(not FILES, reason="EDGEGEN_MODELS names no folder with .tflite files"),
    pytest.mark.skipif(not tflm_exists(), reason="TensorFlow Lite Micro's package is for Linux on x86-64"),
]


def everything(graph: Graph) -> Graph:
    """The graph with every computed tensor as an output."""
    names = [name for node in graph.nodes for name in node.outputs]
    return graph.replace(outputs=tuple(dict.fromkeys(names)))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_tensor(path: Path) -> None:
    graph = load_tflite(path)
    rng = np.random.default_rng(11)
    sequence = bool(graph.states())
    vectors = 20
    given = random_inputs(graph, rng=rng, vectors=vectors)
    traced = oracle().trace(path.read_bytes(), given, sequence=sequence)
    reference = run_reference(everything(graph), given, sequence=sequence)
    computed: list[Array] = []
    for name in everything(graph).outputs:
        index = tensor_index(graph.tensors[name])
        assert index is not None
        computed.append(traced.tensors[index])
    compare(everything(graph), "TFLM", computed, reference)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_export_and_host(path: Path) -> None:
    """The file written again means the same, and so does the C that ships."""
    graph = load_tflite(path)
    sequence = bool(graph.states())
    given = random_inputs(graph, rng=np.random.default_rng(12), vectors=10)
    original = oracle().run(path.read_bytes(), given, sequence=sequence)
    exported = export_tflite(graph)
    compare(graph, "the exported file", oracle().run(exported.data, given, sequence=sequence), original)
    compare(graph, "host C", run_host(graph, given, sequence=sequence), original)
