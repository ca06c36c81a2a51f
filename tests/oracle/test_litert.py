"""The optional comparison with LiteRT."""

from __future__ import annotations

import importlib.util

import numpy as np
import pytest

from edgegen.codegen.export.tflite import write_tflite
from edgegen.errors import ToolError
from edgegen.frontend.importers.tflite import load_tflite
from edgegen.oracle.base import OracleError
from edgegen.oracle.litert import Kernels, LitertOracle
from tests.exactness import run_reference
from tests.frontend.importers.files import build, convolution, edited, streaming

X = np.arange(-20, 44, dtype=np.int8).reshape(2, 1, 4, 4, 2)
installed = pytest.mark.skipif(
    importlib.util.find_spec("ai_edge_litert") is None, reason="the optional package ai-edge-litert"
)


@installed
@pytest.mark.parametrize("kernels", ["default", "builtin", "reference"])
def test_results_are_near(kernels: Kernels) -> None:
    """Every kernel set computes nearly what the reference does, on the file and on what we write of it."""
    data = build(convolution())
    graph = load_tflite(data)
    (reference,) = run_reference(graph, [X])
    with LitertOracle(kernels=kernels) as oracle:
        for file in (data, write_tflite(graph)):
            (y,) = oracle.run(file, [X])
            assert y.shape == reference.shape and y.dtype == np.int8
            assert np.abs(y.astype(int) - reference).max() <= 1


@installed
def test_trace() -> None:
    with LitertOracle() as oracle:
        trace = oracle.trace(build(convolution()), [X])
    assert np.array_equal(trace.tensors[0], X)
    assert np.array_equal(trace.tensors[3], trace.outputs[0])


@installed
def test_state() -> None:
    x = np.array([[[1, 2, 3, 4]], [[5, 6, 7, 8]]], np.int8)
    with LitertOracle(kernels="reference") as oracle:
        data = build(streaming([9, 9, 9, 9]))
        assert oracle.run(data, [x], sequence=True)[0].tolist() == [[[9, 9, 9, 9]], [[1, 2, 3, 4]]]
        assert oracle.run(data, [x], sequence=False)[0].tolist() == [[[9, 9, 9, 9]], [[9, 9, 9, 9]]]


@installed
def test_a_refusal() -> None:
    """LiteRT insists on a quantised dimension that exists."""
    odd = edited(
        convolution(),
        lambda m: m["Subgraphs"][0]["Tensors"][2]["Quantization"].update(QuantizedDimension=3),
    )
    with LitertOracle() as oracle, pytest.raises(OracleError, match="LiteRT did not run the model"):
        oracle.run(build(odd), [X])


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with LitertOracle() as missing, pytest.raises(ToolError, match=r"pip install edgegen\[litert\]"):
        missing.run(build(convolution()), [X])
