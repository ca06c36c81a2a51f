"""int16 activations with int8 weights: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.common import ACTIVATIONS, Padding, same_padding
from edgegen.codegen.ops.conv2d import Conv2dAttributes
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dAttributes
from edgegen.codegen.ops.fully_connected import FullyConnectedAttributes
from edgegen.codegen.ops.pools import PoolAttributes
from edgegen.codegen.ops.sums import SumAttributes
from tests.codegen.ops.elementwise import assert_case, operand_shapes, scales
from tests.exactness import T, cases, one_op_graph, uniform

seeds = st.integers(0, 2**32 - 1)
activations = st.sampled_from(ACTIVATIONS)
# int32 sums must not overflow, which TFLM leaves undefined
BIAS = 2**24


def bias(
    draw: st.DrawFn, rng: np.random.Generator, channels: int, scale: np.ndarray, *, types: list[str]
) -> T:
    """int64 sums in 64 bits, int32 in 32; a depthwise convolution knows only the first."""
    dtype = draw(st.sampled_from(types))
    return T(None, dtype, scale=scale, data=rng.integers(-BIAS, BIAS, channels))


def output(draw: st.DrawFn) -> T:
    return T(None, "int16", scale=draw(st.floats(0.01, 64.0)))


@st.composite
def convolutions(draw: st.DrawFn, op: str) -> tuple[Graph, int]:
    seed = draw(seeds)
    rng = np.random.default_rng(seed)
    kernel = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    stride = draw(st.tuples(st.integers(1, 2), st.integers(1, 2)))
    size = (draw(st.integers(3, 7)), draw(st.integers(3, 7)))
    pairs = [same_padding(n, k, s) for n, k, s in zip(size, kernel, stride, strict=True)]
    padding = Padding(*pairs[0], *pairs[1]) if draw(st.booleans()) else Padding()
    channels, out = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    depthwise = op == "depthwise_conv2d"
    out = out * channels if depthwise else out
    shape = (1, *kernel, out) if depthwise else (out, *kernel, channels)
    weight_scales = np.exp2(rng.uniform(-12, -4, out))
    kind = DepthwiseConv2dAttributes if depthwise else Conv2dAttributes
    x = T((1, *size, channels), "int16", scale=0.5)
    w = T(data=uniform(rng, shape, np.dtype(np.int8)), scale=weight_scales, axis=3 if depthwise else 0)
    attributes = kind(stride=stride, padding=padding, activation=draw(activations))
    b = bias(draw, rng, out, 0.5 * weight_scales, types=["int64"] if depthwise else ["int64", "int32"])
    return one_op_graph(op, attributes, [x, w, b], [output(draw)]), seed


@st.composite
def dense(draw: st.DrawFn) -> tuple[Graph, int]:
    seed = draw(seeds)
    rng = np.random.default_rng(seed)
    features, outputs = draw(st.integers(1, 30)), draw(st.integers(1, 8))
    weight_scales = np.exp2(rng.uniform(-12, -4, 1))
    x = T((draw(st.integers(1, 3)), features), "int16", scale=0.5)
    w = T(data=uniform(rng, (outputs, features), np.dtype(np.int8)), scale=weight_scales)
    b = T(None, "int64", scale=0.5 * weight_scales, data=rng.integers(-BIAS, BIAS, outputs))
    attributes = FullyConnectedAttributes(activation=draw(activations))
    return one_op_graph("fully_connected", attributes, [x, w, b], [output(draw)]), seed


@st.composite
def sums(draw: st.DrawFn, op: str) -> tuple[Graph, int]:
    first, second = draw(scales), draw(scales)
    y = T(None, "int16", scale=draw(st.floats(max(first, second) * 2.0**-12, 64.0)))
    shapes = draw(operand_shapes())
    operands = [T(s, "int16", scale=f) for s, f in zip(shapes, (first, second), strict=True)]
    return one_op_graph(op, SumAttributes(activation=draw(activations)), operands, [y]), draw(seeds)


@st.composite
def pools(draw: st.DrawFn, op: str) -> tuple[Graph, int]:
    size = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    x = T((1, draw(st.integers(3, 7)), draw(st.integers(3, 7)), draw(st.integers(1, 3))), "int16", scale=0.5)
    attributes = PoolAttributes(size=size, stride=draw(st.tuples(st.integers(1, 2), st.integers(1, 2))))
    return one_op_graph(op, attributes, [x], [T(None, "int16", scale=0.5)]), draw(seeds)


@cases(100)
@given(convolutions("conv2d"))
def test_conv2d(case: tuple[Graph, int]) -> None:
    assert_case(case)


@cases(100)
@given(convolutions("depthwise_conv2d"))
def test_depthwise_conv2d(case: tuple[Graph, int]) -> None:
    assert_case(case)


@cases(100)
@given(dense())
def test_fully_connected(case: tuple[Graph, int]) -> None:
    assert_case(case)


@cases(60)
@given(sums("add"))
def test_add(case: tuple[Graph, int]) -> None:
    assert_case(case)


@cases(60)
@given(sums("sub"))
def test_sub(case: tuple[Graph, int]) -> None:
    assert_case(case)


@cases(60)
@given(pools("average_pool2d"))
def test_average_pool2d(case: tuple[Graph, int]) -> None:
    assert_case(case)


@cases(60)
@given(pools("max_pool2d"))
def test_max_pool2d(case: tuple[Graph, int]) -> None:
    assert_case(case)
