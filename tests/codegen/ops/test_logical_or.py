"""logical_or: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, seeds
from tests.codegen.ops.elementwise import operand_shapes
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    operands = [T(shape, "bool") for shape in draw(operand_shapes())]
    return one_op_graph("logical_or", None, operands, [T(dtype="bool")]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)
