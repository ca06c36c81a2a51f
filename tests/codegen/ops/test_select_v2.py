"""select_v2: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, assert_in_c, like, quantised, seeds
from tests.codegen.ops.elementwise import operand_shapes
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape, other = draw(operand_shapes())
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    condition = T(draw(st.sampled_from([shape, other])), "bool")
    return one_op_graph("select_v2", None, [condition, x, like(x, other)], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "float32")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("int32", "uint8", "bool")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
