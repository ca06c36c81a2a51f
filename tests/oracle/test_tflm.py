"""The TFLM oracle: results, state, and that a bad model ends nothing but its own run."""

from __future__ import annotations

import importlib.util
import os
import signal
from collections.abc import Iterator

import numpy as np
import pytest
import tflite

from edgegen.errors import ToolError
from edgegen.oracle import base
from edgegen.oracle.base import OracleError
from edgegen.oracle.tflm import TflmOracle
from tests.frontend.importers.files import build, convolution, edited, relus, streaming

X = np.arange(-20, 44, dtype=np.int8).reshape(2, 1, 4, 4, 2)
"""Two vectors for the convolution."""


@pytest.fixture
def oracle() -> Iterator[TflmOracle]:
    with TflmOracle() as made:
        yield made


def test_relu_by_hand(oracle: TflmOracle) -> None:
    x = np.array([[[-128, 2, 3, 4, 100, 127]]], np.int8)
    (y,) = oracle.run(build(relus(1)), [x])
    assert y.tolist() == [[[3, 3, 3, 4, 100, 127]]]


def test_vectors_come_back_in_order(oracle: TflmOracle) -> None:
    data = build(convolution())
    (both,) = oracle.run(data, [X])
    assert both.shape == (2, 1, 4, 4, 3) and both.dtype == np.int8
    for vector in (0, 1):
        (one,) = oracle.run(data, [X[vector : vector + 1]])
        assert np.array_equal(one[0], both[vector])


def test_trace_has_every_computed_tensor(oracle: TflmOracle) -> None:
    x = np.arange(-6, 6, dtype=np.int8).reshape(2, 1, 6)
    trace = oracle.trace(build(relus(3)), [x])
    assert sorted(trace.tensors) == [0, 1, 2, 3]
    assert np.array_equal(trace.tensors[0], x)
    assert np.array_equal(trace.tensors[3], trace.outputs[0])
    assert sorted(oracle.trace(build(convolution()), [X]).tensors) == [0, 3]


def test_state_goes_on_or_starts_afresh(oracle: TflmOracle) -> None:
    x = np.array([[[1, 2, 3, 4]], [[5, 6, 7, 8]]], np.int8)
    data = build(streaming([9, 9, 9, 9]))
    assert oracle.run(data, [x], sequence=True)[0].tolist() == [[[9, 9, 9, 9]], [[1, 2, 3, 4]]]
    assert oracle.run(data, [x], sequence=False)[0].tolist() == [[[9, 9, 9, 9]], [[9, 9, 9, 9]]]


def test_a_crash_ends_one_run_only(oracle: TflmOracle) -> None:
    wild = edited(convolution(), lambda m: m["Subgraphs"][0]["Operators"][0].update(Inputs=[0, 10**6, 2]))
    for _ in range(3):
        with pytest.raises(OracleError, match="crashed with SIG"):
            oracle.run(build(wild), [X])
        assert oracle.run(build(convolution()), [X])[0].shape == (2, 1, 4, 4, 3)


def test_the_runtimes_own_words(oracle: TflmOracle) -> None:
    rfft = edited(
        convolution(), lambda m: m["OperatorCodes"][0].update(BuiltinCode=tflite.BuiltinOperator.RFFT2D)
    )
    with pytest.raises(OracleError, match="Didn't find op for builtin opcode"):
        oracle.run(build(rfft), [X])


def test_an_input_of_another_shape(oracle: TflmOracle) -> None:
    with pytest.raises(OracleError, match="Dimension mismatch"):
        oracle.run(build(convolution()), [X[:, :, 0]])


def test_an_arena_that_is_too_small() -> None:
    with TflmOracle(arena_bytes=100) as small, pytest.raises(OracleError, match="did not run"):
        small.run(build(convolution()), [X])


def test_a_run_that_takes_too_long() -> None:
    with TflmOracle(timeout_seconds=1) as hasty:
        with pytest.raises(OracleError, match="did not finish within 1 s"):
            hasty.run(build(relus(30)), [np.zeros((400_000, 1, 6), np.int8)])
        assert hasty.run(build(relus(1)), [np.zeros((1, 1, 6), np.int8)])[0].shape == (1, 1, 6)


def test_a_worker_that_somebody_ended(oracle: TflmOracle) -> None:
    oracle.run(build(convolution()), [X])
    assert oracle._worker is not None
    os.kill(oracle._worker.pid, signal.SIGKILL)
    with pytest.raises(OracleError, match="its process ended"):
        oracle.run(build(convolution()), [X])
    assert oracle.run(build(convolution()), [X])[0].shape == (2, 1, 4, 4, 3)


def test_without_fork(oracle: TflmOracle, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = oracle.run(build(convolution()), [X])[0]
    monkeypatch.setattr(base, "FORKS", False)
    with TflmOracle() as other:
        for _ in range(2):
            assert np.array_equal(other.run(build(convolution()), [X])[0], expected)
        wild = edited(convolution(), lambda m: m["Subgraphs"][0]["Operators"][0].update(Inputs=[0, 10**6, 2]))
        with pytest.raises(OracleError, match="its process ended with status"):
            other.run(build(wild), [X])
        assert np.array_equal(other.run(build(convolution()), [X])[0], expected)


def test_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with TflmOracle() as missing, pytest.raises(ToolError, match=r"pip install edgegen\[tflm\]"):
        missing.run(build(convolution()), [X])
