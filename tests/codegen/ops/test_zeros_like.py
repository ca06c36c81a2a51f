"""zeros_like: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, assert_in_c, like, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    x = quantised(draw, draw(shapes(least=0)), draw(st.sampled_from(dtypes)))
    return one_op_graph("zeros_like", None, [x], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int32", "float32", "int64")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("int16", "uint8", "bool")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
