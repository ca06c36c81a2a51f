"""transpose: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, assert_in_c, integers, like, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape = draw(shapes(most=5))
    order = draw(st.permutations(range(len(shape))))
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    return one_op_graph("transpose", None, [x, integers(order)], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "float32")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("uint8", "int32", "bool", "int64")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
