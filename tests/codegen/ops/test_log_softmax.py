"""log_softmax: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, points, seeds
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    """One class and many, scales from flat to one-hot."""
    shape = (*draw(st.lists(st.integers(1, 3), max_size=2)), draw(st.integers(1, 60)))
    x = T(shape, scale=draw(st.floats(2.0**-16, 2.0**8)), zero_point=draw(points))
    return one_op_graph("log_softmax", None, [x], [T(scale=1 / 16, zero_point=127)]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)
