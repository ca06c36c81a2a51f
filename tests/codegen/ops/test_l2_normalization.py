"""l2_normalization: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, quantised, seeds
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    shape = (*draw(st.lists(st.integers(1, 3), max_size=3)), draw(st.integers(1, 60)))
    x = quantised(draw, shape, "int8")
    return one_op_graph("l2_normalization", None, [x], [T(scale=1 / 128)]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)
