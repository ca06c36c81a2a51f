"""fully_connected: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.common import ACTIVATIONS
from edgegen.codegen.ops.fully_connected import FullyConnectedAttributes
from tests.exactness import T, assert_exact, cases, one_op_graph, uniform


@st.composite
def layers(draw: st.DrawFn) -> tuple[Graph, int]:
    """Per tensor and per channel, with and without bias, from flattened inputs too."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    features, outputs = draw(st.integers(1, 40)), draw(st.integers(1, 9))
    keep_dims = draw(st.booleans())
    shape = draw(st.sampled_from([(1, features), (3, features), (1, 2, 1, features)]))
    scales = np.exp2(rng.uniform(-12, draw(st.sampled_from([-2, 2])), outputs))
    scales = scales if draw(st.booleans()) else scales[:1]
    x_scale = draw(st.floats(0.01, 1.0))
    x = T(shape, scale=x_scale, zero_point=draw(st.integers(-128, 127)))
    w = T(data=uniform(rng, (outputs, features), np.dtype(np.int8)), scale=scales)
    b = T(data=rng.integers(-(2**14), 2**14, outputs), dtype="int32", scale=x_scale * scales)
    y = T(scale=draw(st.floats(0.01, 64.0)), zero_point=draw(st.integers(-128, 127)))
    attributes = FullyConnectedAttributes(activation=draw(st.sampled_from(ACTIVATIONS)), keep_dims=keep_dims)
    return one_op_graph("fully_connected", attributes, [x, w, b if draw(st.booleans()) else None], [y]), seed


@cases(200)
@given(layers())
def test_exact(case: tuple[Graph, int]) -> None:
    graph, seed = case
    assert_exact(graph, rng=np.random.default_rng(seed))
