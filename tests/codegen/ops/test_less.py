"""less: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, points, seeds
from tests.codegen.ops.elementwise import operand_shapes
from tests.exactness import T, cases, one_op_graph

TYPES = ["int8", "int8", "int32"]


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    dtype = draw(st.sampled_from(TYPES))
    operands = [T(shape, dtype) for shape in draw(operand_shapes())]
    if dtype == "int8":
        # TFLM takes scales below 1; equal ones make equal numbers likely
        scale = draw(st.floats(2.0**-12, 0.99))
        scales = scale, draw(st.sampled_from([scale, draw(st.floats(2.0**-12, 0.99))]))
        operands = [T(x.shape, dtype, s, draw(points)) for x, s in zip(operands, scales, strict=True)]
    return one_op_graph("less", None, operands, [T(dtype="bool")]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)
