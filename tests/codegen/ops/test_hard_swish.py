"""hard_swish: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, points, quantised, seeds, shapes
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    x = quantised(draw, draw(shapes(size=12)), "int8")
    # TFLM takes no output scale below 1/128 of the input's
    y = T(scale=float(x.scale) * draw(st.floats(2.0**-6, 2.0**6)), zero_point=draw(points))
    return one_op_graph("hard_swish", None, [x], [y]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)
