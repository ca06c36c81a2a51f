"""shape: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, quantised, seeds, shapes
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    x = quantised(draw, draw(shapes()), draw(st.sampled_from(dtypes)))
    return one_op_graph("shape", None, [x], [T(dtype="int32")]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int16", "int32", "float32", "bool", "uint8")))
def test_exact(case: Case) -> None:
    assert_case(case)
