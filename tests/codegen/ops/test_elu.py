"""elu: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, points, quantised, seeds, shapes
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    x = quantised(draw, draw(shapes(size=12)), "int8")
    y = T(scale=draw(st.floats(2.0**-10, 2.0**3)), zero_point=draw(points))
    return one_op_graph("elu", None, [x], [y]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)
