"""tile: TFLM has no kernel; NumPy reference = host C, and both are NumPy's tile."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_in_c, integers, like, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph, random_inputs, run_reference


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Case, list[int]]:
    shape = draw(shapes(size=3))
    times = [draw(st.integers(1, 3)) for _ in shape]
    x = quantised(draw, shape, draw(st.sampled_from(["int8", "int16", "int32", "uint8", "bool"])))
    return (one_op_graph("tile", None, [x, integers(times)], [like(x)]), draw(seeds)), times


@cases(200)
@given(graphs())
def test_reference(case: tuple[Case, list[int]]) -> None:
    (graph, seed), times = case
    assert_in_c(graph, seed=seed)
    inputs = random_inputs(graph, rng=np.random.default_rng(seed), vectors=3)
    np.testing.assert_array_equal(run_reference(graph, inputs)[0], np.tile(inputs[0], (1, *times)))
