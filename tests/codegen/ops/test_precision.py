"""How precisely multipliers are computed: accumulators at which a float and a double product round apart.

Such sums are so rare that random data does not meet them; here they are looked for and fed in.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from edgegen.codegen.arithmetic import quantize_multiplier, requantize
from edgegen.codegen.export.tflite import export_tflite
from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.ops.svdf import SvdfAttributes
from tests.exactness import T, assert_exact, one_op_graph, oracle, tflm_exists

DEPTH = 64
WEIGHTS = np.array([127] * (DEPTH - 1) + [1], np.int8)
"""With these any sum up to a million can be made from int8 inputs."""
LARGEST = (DEPTH - 4) * 127 * 127
WANTED = 25
"""Graphs that tell the two apart."""


def inputs_for(total: int) -> Array:
    """Inputs whose product with the weights is `total`."""
    tens, ones = divmod(abs(total), 127)
    x = np.minimum(np.maximum(tens - 127 * np.arange(DEPTH), 0), 127)
    x[-1] = ones
    signed: Array = (np.sign(total) * x).astype(np.int8)
    return signed


def told_apart(rng: np.random.Generator, real: float, other: float, steps: int) -> Array:
    """Sums that two multipliers round to different values, up to 16 of them."""
    ties = (rng.integers(-steps, steps, 4000) + 0.5) / real
    sums = np.unique(np.concatenate([np.floor(ties), np.ceil(ties)]).astype(np.int64))
    sums = sums[np.abs(sums) < LARGEST]
    differ = requantize(sums, *quantize_multiplier(real)) != requantize(sums, *quantize_multiplier(other))
    apart: Array = sums[differ][:16]
    return apart


def scale(rng: np.random.Generator) -> float:
    return float(np.float32(rng.uniform(0.001, 1.0)))


def float_product(a: float, b: float) -> float:
    return float(np.float32(a) * np.float32(b))


Make = Callable[[int, float, float, float], Graph]


def dense(rows: int, first: float, second: float, out: float, *, bias: bool) -> Graph:
    b = T(data=[0], dtype="int32", scale=first * second) if bias else None
    x = T((rows, DEPTH), scale=first)
    return one_op_graph("fully_connected", None, [x, T(data=WEIGHTS[None], scale=second), b], [T(scale=out)])


def convolution(rows: int, first: float, second: float, out: float) -> Graph:
    weights = T(data=WEIGHTS[None, None, None], scale=second)
    return one_op_graph("conv2d", None, [T((rows, 1, 1, DEPTH), scale=first), weights], [T(scale=out)])


def product(rows: int, first: float, second: float, out: float) -> Graph:
    weights = T(data=WEIGHTS[:, None], scale=second)
    return one_op_graph("batch_matmul", None, [T((rows, DEPTH), scale=first), weights], [T(scale=out)])


MADE: dict[str, Make] = {
    "dense with a bias": lambda *given: dense(*given, bias=True),
    "dense without": lambda *given: dense(*given, bias=False),
    "convolution": convolution,
    "matrix product": product,
}


@pytest.mark.parametrize("name", MADE)
def test_product_of_scales(name: str) -> None:
    rng = np.random.default_rng(4)
    told = 0
    while told < WANTED:
        first, second = scale(rng), scale(rng)
        out = float(np.float32(first * second * LARGEST / 125))
        sums = told_apart(rng, first * second / out, float_product(first, second) / out, 124)
        if len(sums):
            graph = MADE[name](len(sums), first, second, out)
            x = np.stack([inputs_for(int(total)) for total in sums])
            assert_exact(graph, rng=rng, inputs=[x.reshape(1, *graph.input_tensors()[0].shape)])
            told += 1


def svdf(x: T, weights: T, time: T, bias: T, state_scale: float, out: float) -> Graph:
    state = T((1, 1), "int16", scale=state_scale, data=np.zeros((1, 1)), state=True)
    return one_op_graph("svdf", SvdfAttributes(rank=1), [x, weights, time, bias, state], [T(scale=out)])


@pytest.mark.skipif(not tflm_exists(), reason="TensorFlow Lite Micro's package is for Linux on x86-64")
def test_state_of_svdf() -> None:
    """What the feature weights leave in the state, which only the oracle's own tensors show."""
    rng = np.random.default_rng(5)
    told = 0
    while told < WANTED:
        first, second = scale(rng), scale(rng)
        state = float(np.float32(first * second * LARGEST / 32000))
        sums = told_apart(rng, first * second / state, float_product(first, second) / state, 30000)
        if len(sums):
            time, bias = T(data=[[1]], dtype="int16", scale=1.0), T(data=[0], dtype="int32", scale=state)
            graph = svdf(
                T((1, DEPTH), scale=first), T(data=WEIGHTS[None], scale=second), time, bias, state, 1.0
            )
            x = np.stack([inputs_for(int(total)) for total in sums])[:, None]
            file = export_tflite(graph)
            traced = oracle().trace(file.data, [x], sequence=True).tensors[file.indices["in4"]]
            expected = requantize(sums, *quantize_multiplier(first * second / state))
            assert traced.ravel().tolist() == expected.tolist()
            assert_exact(graph, rng=rng, sequence=True, inputs=[x])
            told += 1


def test_output_of_svdf() -> None:
    """A large bias moves small sums to where the two differ."""
    rng = np.random.default_rng(6)
    near = np.arange(-127, 128)
    told = 0
    while told < WANTED:
        state, second = scale(rng), scale(rng)
        out = float(np.float32(state * second * 1e9 / 120))
        exact, other = state * second / out, float_product(state, second) / out
        bias = int((int(rng.integers(60, 118)) + 0.5) / exact)
        rounded = [requantize(bias + near, *quantize_multiplier(real)) for real in (exact, other)]
        apart = near[rounded[0] != rounded[1]][:16]
        if len(apart):
            time = T(data=[[1]], dtype="int16", scale=second)
            constant = T(data=[bias], dtype="int32", scale=state * second)
            graph = svdf(T((1, 1), scale=state), T(data=[[1]], scale=1.0), time, constant, state, out)
            x = apart.astype(np.int8).reshape(-1, 1, 1)
            assert_exact(graph, rng=rng, sequence=True, inputs=[x])
            told += 1
