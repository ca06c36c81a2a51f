"""resize_nearest_neighbor: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.resizing import ResizeAttributes
from tests.codegen.ops.checks import Case, assert_case, assert_in_c, integers, like, quantised, seeds
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape = tuple(draw(st.integers(1, most)) for most in (2, 12, 12, 4))
    size = [draw(st.integers(1, 30)) for _ in range(2)]
    attributes = ResizeAttributes(draw(st.booleans()), draw(st.booleans()))
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    return one_op_graph("resize_nearest_neighbor", attributes, [x, integers(size)], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "float32")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("int32", "uint8")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
