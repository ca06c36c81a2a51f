"""depthwise_conv2d: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.common import ACTIVATIONS, Padding, same_padding
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dAttributes
from tests.exactness import T, assert_exact, cases, one_op_graph, uniform

kernels = st.integers(1, 4)


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[Graph, int]:
    """Any multiplier, stride, dilation and padding, with rescaling from tiny to above one."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    kernel = draw(st.tuples(kernels, kernels))
    stride = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    dilation = draw(st.tuples(st.integers(1, 2), st.integers(1, 2)))
    size = [draw(st.integers((k - 1) * d + 1, 9)) for k, d in zip(kernel, dilation, strict=True)]
    channels, multiplier = draw(st.integers(1, 6)), draw(st.integers(1, 4))
    pairs = [
        same_padding(s, k, t, d) if draw(st.booleans()) else (0, 0)
        for s, k, t, d in zip(size, kernel, stride, dilation, strict=True)
    ]
    if draw(st.booleans()):
        pairs = [(int(a), int(b)) for a, b in rng.integers(0, 3, (2, 2))]
    scales = np.exp2(rng.uniform(-12, draw(st.sampled_from([-2, 2])), channels * multiplier))
    attributes = DepthwiseConv2dAttributes(
        stride=stride,
        dilation=dilation,
        padding=Padding(*pairs[0], *pairs[1]),
        activation=draw(st.sampled_from(ACTIVATIONS)),
    )
    weights = uniform(rng, (1, *kernel, channels * multiplier), np.dtype(np.int8))
    bias = T(data=rng.integers(-(2**14), 2**14, channels * multiplier), dtype="int32", scale=0.5 * scales)
    x = T((draw(st.integers(1, 2)), *size, channels), scale=0.5, zero_point=draw(st.integers(-128, 127)))
    y = T(scale=draw(st.floats(0.01, 64.0)), zero_point=draw(st.integers(-128, 127)))
    # TFLM crashes on a depthwise convolution without a bias
    inputs = [x, T(data=weights, scale=scales, axis=3), bias]
    return one_op_graph("depthwise_conv2d", attributes, inputs, [y]), seed


@cases(200)
@given(convolutions())
def test_exact(case: tuple[Graph, int]) -> None:
    graph, seed = case
    assert_exact(graph, rng=np.random.default_rng(seed))
