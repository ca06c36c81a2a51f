"""slice: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, assert_in_c, integers, like, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape = draw(shapes(most=5))
    begin = [draw(st.integers(0, size - 1)) for size in shape]
    size = [draw(st.sampled_from([-1, *range(1, n - b + 1)])) for n, b in zip(shape, begin, strict=True)]
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    return one_op_graph("slice", None, [x, integers(begin), integers(size)], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32", "bool")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("uint8", "int64")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
