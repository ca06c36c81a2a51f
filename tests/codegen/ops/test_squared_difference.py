"""squared_difference: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, points, quantised, seeds
from tests.codegen.ops.elementwise import operand_shapes
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    dtype = draw(st.sampled_from(["int8", "int8", "int16"]))
    first, second = (quantised(draw, shape, dtype) for shape in draw(operand_shapes()))
    unit = max(float(first.scale), float(second.scale)) ** 2
    y = T(None, dtype, unit * draw(st.floats(2.0**-4, 2.0**12)), draw(points) if dtype == "int8" else 0)
    return one_op_graph("squared_difference", None, [first, second], [y]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)
