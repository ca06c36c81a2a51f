"""arg_max: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import (
    Case,
    assert_case,
    assert_in_c,
    axis_of,
    integers,
    quantised,
    seeds,
    shapes,
)
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape = draw(shapes())
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    axis = integers(axis_of(draw, len(shape)))
    return one_op_graph("arg_max", None, [x, axis], [T(dtype="int32")]), draw(seeds)


@cases(200)
@given(graphs(("int8",)))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("int16", "int32")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
