"""dequantize: TFLM = NumPy reference = host C, in the bits of every float."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, points, seeds, shapes
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    dtype = draw(st.sampled_from(["int8", "int8", "uint8", "int16"]))
    zero_point = draw({"int8": points, "uint8": st.integers(0, 255)}.get(dtype, st.integers(-9999, 9999)))
    x = T(draw(shapes(size=8)), dtype, draw(st.floats(2.0**-30, 2.0**20)), zero_point)
    return one_op_graph("dequantize", None, [x], [T(dtype="float32")]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)
