"""conv2d: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.common import ACTIVATIONS, Padding, same_padding
from edgegen.codegen.ops.conv2d import Conv2dAttributes
from tests.exactness import T, assert_exact, cases, one_op_graph, uniform

seeds = st.integers(0, 2**32 - 1)
kernels = st.integers(1, 4)


@st.composite
def convolutions(draw: st.DrawFn) -> tuple[Graph, int]:
    """A convolution whose window fits, with any padding, and multipliers from tiny to above one."""
    seed = draw(seeds)
    rng = np.random.default_rng(seed)
    kernel = draw(st.tuples(kernels, kernels))
    stride = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    dilation = draw(st.tuples(st.integers(1, 2), st.integers(1, 2)))
    size = [draw(st.integers((k - 1) * d + 1, 9)) for k, d in zip(kernel, dilation, strict=True)]
    padding = draw(st.sampled_from(["valid", "same", "odd"]))
    groups, group_c = draw(st.integers(1, 3)), draw(st.integers(1, 5))
    out_c = groups * draw(st.integers(1, 4))
    scales = np.exp2(rng.uniform(-12, draw(st.sampled_from([-2, 2])), out_c))
    bias = rng.integers(-(2**14), 2**14, out_c)
    attributes = Conv2dAttributes(
        stride=stride,
        dilation=dilation,
        padding=_padding(padding, size, kernel, stride, dilation, rng),
        activation=draw(st.sampled_from(ACTIVATIONS)),
    )
    weights = uniform(rng, (out_c, *kernel, group_c), np.dtype(np.int8))
    per_channel = draw(st.booleans())
    scales = scales if per_channel else scales[:1]
    w = T(data=weights, scale=scales)
    x = T(
        (draw(st.integers(1, 2)), *size, groups * group_c), scale=0.5, zero_point=draw(st.integers(-128, 127))
    )
    b = T(data=bias, dtype="int32", scale=0.5 * scales)
    y = T(scale=draw(st.floats(0.01, 64.0)), zero_point=draw(st.integers(-128, 127)))
    graph = one_op_graph("conv2d", attributes, [x, w, b if draw(st.booleans()) else None], [y])
    return graph, seed


def _padding(kind: str, size, kernel, stride, dilation, rng: np.random.Generator) -> Padding:  # type: ignore[no-untyped-def]
    if kind == "valid":
        return Padding()
    if kind == "odd":
        return Padding(*(int(n) for n in rng.integers(0, 3, 4)))
    top, bottom = same_padding(size[0], kernel[0], stride[0], dilation[0])
    left, right = same_padding(size[1], kernel[1], stride[1], dilation[1])
    return Padding(top=top, bottom=bottom, left=left, right=right)


@cases(200)
@given(convolutions())
def test_exact(case: tuple[Graph, int]) -> None:
    graph, seed = case
    assert_exact(graph, rng=np.random.default_rng(seed))
