"""floor: no kernel of TFLM's to compare with; NumPy reference = host C, and both near the float function."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from tests.codegen.ops.checks import assert_in_c, assert_near_float, points, seeds
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    x = T((256,), scale=draw(st.floats(0.01, 0.4)), zero_point=draw(points))
    y = T(scale=draw(st.floats(0.005, 4.0)), zero_point=draw(points))
    return one_op_graph("floor", None, [x], [y])


@cases(200)
@given(graphs(), seeds)
def test_reference(graph: Graph, seed: int) -> None:
    assert_in_c(graph, seed=seed)
    assert_near_float(graph)
