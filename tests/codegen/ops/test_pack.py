"""pack: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.pack import PackAttributes
from tests.codegen.ops.checks import (
    Case,
    assert_case,
    assert_in_c,
    axis_of,
    like,
    quantised,
    seeds,
    shapes,
)
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape = draw(shapes(least=0, most=3))
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    attributes = PackAttributes(axis_of(draw, len(shape) + 1))
    return one_op_graph("pack", attributes, [x] * draw(st.integers(1, 12)), [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32", "int64")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("uint8", "bool")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
