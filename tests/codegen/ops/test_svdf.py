"""svdf: TFLM = NumPy reference = host C, over sequences."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.svdf import SvdfAttributes
from tests.exactness import T, assert_exact, cases, one_op_graph, uniform


@st.composite
def layers(draw: st.DrawFn) -> tuple[Graph, int]:
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    batch, features = draw(st.integers(1, 2)), draw(st.integers(1, 8))
    units, rank, memory = draw(st.integers(1, 4)), draw(st.integers(1, 2)), draw(st.integers(1, 5))
    filters = units * rank
    x = T((batch, features), scale=draw(st.floats(2.0**-8, 2.0**-4)), zero_point=draw(st.integers(-128, 127)))
    w = T(
        data=uniform(rng, (filters, features), np.dtype(np.int8)), scale=float(np.exp2(rng.uniform(-9, -5)))
    )
    # the sums of TFLM have 32 bits
    time = T(None, "int16", scale=2.0**-10, data=rng.integers(-2000, 2000, (filters, memory)))
    bias = T(None, "int32", scale=2.0**-19, data=rng.integers(-(2**16), 2**16, units))
    state = T(None, "int16", scale=2.0**-9, data=np.zeros((batch, memory * filters)), state=True)
    y = T(scale=draw(st.floats(2.0**-6, 4.0)), zero_point=draw(st.integers(-128, 127)))
    attributes = SvdfAttributes(rank=rank)
    return one_op_graph("svdf", attributes, [x, w, time, bias, state], [y]), seed


@cases(200)
@given(layers())
def test_exact(case: tuple[Graph, int]) -> None:
    graph, seed = case
    assert_exact(graph, rng=np.random.default_rng(seed), sequence=True)
