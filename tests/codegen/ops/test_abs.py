"""abs: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, quantised, seeds, shapes
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    dtype = draw(st.sampled_from(["int8", "int8", "int16"]))
    x = quantised(draw, draw(shapes(size=12)), dtype)
    y = x if draw(st.booleans()) else quantised(draw, None, dtype)
    return one_op_graph("abs", None, [x], [y]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(20)
@given(shapes(), seeds)
def test_exact_without_quantization(shape: tuple[int, ...], seed: int) -> None:
    assert_case((one_op_graph("abs", None, [T(shape, "int16")], [T(dtype="int16")]), seed))
