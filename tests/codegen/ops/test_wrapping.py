"""Sums that leave 32 bits wrap around in the same places everywhere: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.hostlib import HostLibrary
from edgegen.codegen.ops.base import NodeView, TensorType
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dAttributes
from edgegen.codegen.ops.mul import MulAttributes
from edgegen.codegen.ops.transpose_conv import TransposeConvAttributes
from edgegen.errors import ModelError
from tests.codegen.ops.checks import assert_bounds
from tests.exactness import T, assert_exact, cases, one_op_graph, random_inputs, run_reference, uniform

LAYERS = ("fully_connected", "conv2d", "depthwise_conv2d", "transpose_conv")
ABOVE, BELOW = 1.0 + 2.0**-15, 1.0 - 2.0**-15
"""Their product is the multiplier closest to 1 from below that two scales can make."""


def layer(op: str, *, dtype: str, scales: tuple[float, float, float], bias: list[int], point: int) -> Graph:
    """One pixel of two channels into two outputs; its bias is what matters."""
    sx, sw, sy = scales
    rng = np.random.default_rng(len(op))
    wide = "int64" if dtype == "int16" else "int32"
    dense = op == "fully_connected"
    depthwise = op == "depthwise_conv2d"
    shape = (2, 2) if dense else (1, 1, 1, 2) if depthwise else (2, 1, 1, 2)
    x = T((1, 2) if dense else (1, 1, 1, 2), dtype, scale=sx, zero_point=0)
    w = T(
        data=uniform(rng, shape, np.dtype(np.int8)),
        scale=[sw] * (1 if dense else 2),
        axis=None if dense else 3 if depthwise else 0,
    )
    b = T(dtype=wide, data=bias, scale=sx * sw)
    y = T(None, dtype, scale=sy, zero_point=point)
    if op == "transpose_conv":
        return one_op_graph(
            op, TransposeConvAttributes(), [T(None, "int32", data=[1, 1, 1, 2]), w, x, b], [y]
        )
    attributes = DepthwiseConv2dAttributes() if depthwise else None
    return one_op_graph(op, attributes, [x, w, b], [y])


def assert_defined(graph: Graph) -> None:
    """The C does it without undefined behaviour, which would end the process."""
    from edgegen.codegen import ops

    view = NodeView.of(graph, graph.nodes[0])
    operator = ops.get(view.node.op)
    call = operator.call(view, operator.prepare(view))
    inputs = random_inputs(graph, rng=np.random.default_rng(0), vectors=4)
    (expected,) = run_reference(graph, inputs)
    kinds = [TensorType(item.shape, item.dtype) for item in view.outputs]
    for vector in range(4):
        known = dict(zip(graph.inputs, (array[vector] for array in inputs), strict=True))
        tensors = [view.input(position) for position in call.inputs]
        given_ = [known[t.name] if t.data is None else t.data for t in tensors]
        (got,) = sanitized().run(call, given_, kinds)
        assert np.array_equal(got, expected[vector])


def sanitized() -> HostLibrary:
    if not _libraries:
        _libraries.append(HostLibrary(sanitize=True))
    return _libraries[0]


_libraries: list[HostLibrary] = []


@pytest.mark.parametrize("op", LAYERS)
@pytest.mark.parametrize("bias", [2**31 - 1, 2**31 - 60, -(2**31)])
@pytest.mark.parametrize("point", [127, -128])
def test_the_zero_point_beside_the_ends_of_int32(op: str, bias: int, point: int) -> None:
    graph = layer(op, dtype="int8", scales=(ABOVE, BELOW, 1.0), bias=[bias, 0], point=point)
    inputs = [np.zeros((1, *graph.input_tensors()[0].shape), np.int8)]
    assert_exact(graph, rng=np.random.default_rng(0), inputs=inputs)
    assert_defined(graph)


@st.composite
def layers(draw: st.DrawFn) -> tuple[Graph, int]:
    """Any bias, and multipliers from near one to far above."""
    op = draw(st.sampled_from(LAYERS))
    near = draw(st.booleans())
    scales = (ABOVE, BELOW, 1.0) if near else (1.0, 1.0, 2.0 ** -draw(st.floats(0.0, 20.0)))
    ends = st.sampled_from([-(2**31), -(2**31) + 100, 2**31 - 100, 2**31 - 1])
    bias = draw(st.lists(st.one_of(ends, st.integers(-(2**31), 2**31 - 1)), min_size=2, max_size=2))
    seed = draw(st.integers(0, 2**32 - 1))
    return layer(op, dtype="int8", scales=scales, bias=bias, point=draw(st.integers(-128, 127))), seed


@cases(150)
@given(layers())
def test_any_bias_and_any_multiplier(case: tuple[Graph, int]) -> None:
    graph, seed = case
    rng = np.random.default_rng(seed)
    assert_exact(graph, rng=rng)
    assert_bounds(graph, rng=rng)
    assert_defined(graph)


@cases(100)
@given(
    op=st.sampled_from(LAYERS[:3]),
    bias=st.lists(st.integers(-(2**46), 2**46), min_size=2, max_size=2),
    scale=st.floats(0.0, 13.9),
)
def test_sums_of_64_bits(op: str, bias: list[int], scale: float) -> None:
    graph = layer(op, dtype="int16", scales=(1.0, 1.0, 2.0**-scale), bias=bias, point=0)
    assert_exact(graph, rng=np.random.default_rng(0))
    assert_defined(graph)


@pytest.mark.parametrize("op", LAYERS[:3])
def test_sums_of_64_bits_that_are_not_defined(op: str) -> None:
    large = layer(op, dtype="int16", scales=(1.0, 1.0, 1.0), bias=[0, 2**46 + 1], point=0)
    with pytest.raises(ModelError, match=r"a bias of 70368744177665 is too large"):
        run_reference(large, random_inputs(large, rng=np.random.default_rng(0), vectors=1))
    steep = layer(op, dtype="int16", scales=(1.0, 1.0, 2.0**-15), bias=[0, 0], point=0)
    with pytest.raises(ModelError, match="more than 2"):
        run_reference(steep, random_inputs(steep, rng=np.random.default_rng(0), vectors=1))


@pytest.mark.parametrize("op", ["fully_connected", "conv2d"])
def test_a_sum_of_so_many_products_that_it_wraps(op: str) -> None:
    depth = 70_000  # times 255 * 128 is more than 2^31
    front = (1,) if op == "fully_connected" else (1, 1, 1)
    x = T((*front, depth), scale=1.0, zero_point=127)
    w = T(data=np.full((*front, depth), -128), scale=1.0)
    b = T(dtype="int32", data=[5], scale=1.0)
    graph = one_op_graph(op, None, [x, w, b], [T(scale=2.0**25)])
    assert_exact(graph, rng=np.random.default_rng(0), inputs=[np.full((1, *front, depth), -128, np.int8)])
    assert_defined(graph)


@pytest.mark.parametrize("dtype", ["int8", "int16"])
@pytest.mark.parametrize("scale", [2.0**-15, 2.0**-16, 2.0**-20, 2.0**-24])
def test_products_far_beyond_the_output(dtype: str, scale: float) -> None:
    low, point = (-128, 127) if dtype == "int8" else (-32768, 0)
    operands = [T((1, 64), dtype, scale=1.0, zero_point=point) for _ in range(2)]
    graph = one_op_graph("mul", MulAttributes(), operands, [T(None, dtype, scale=scale, zero_point=point)])
    ramp = np.linspace(low, -low - 1, 64).astype(dtype).reshape(1, 1, 64)
    assert_exact(graph, rng=np.random.default_rng(0), inputs=[ramp, np.full_like(ramp, low)])
    assert_defined(graph)


@pytest.mark.parametrize("op", ["mean", "sum", "batch_matmul"])
@pytest.mark.parametrize("exponent", range(15, 32, 2))
def test_reductions_far_beyond_the_output(op: str, exponent: int) -> None:
    y = T(scale=2.0**-exponent * ABOVE, zero_point=127)
    x = T((1, 2, 4, 4), scale=1.0, zero_point=-128)
    second = x if op == "batch_matmul" else T(None, "int32", data=[1, 2])
    graph = one_op_graph(op, None, [x, second], [y])
    assert_exact(graph, rng=np.random.default_rng(exponent), vectors=12)
    assert_defined(graph)
