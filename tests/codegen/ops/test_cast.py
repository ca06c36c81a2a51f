"""cast: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import DType
from edgegen.codegen.ops.cast import CastAttributes
from tests.codegen.ops.checks import Case, assert_case, seeds, shapes
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    target = draw(st.sampled_from(["int8", "int16", "int32", "float32", "bool"]))
    x = T(draw(shapes()), draw(st.sampled_from(dtypes)))
    return one_op_graph("cast", CastAttributes(DType(target)), [x], [T(dtype=target)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32", "bool")))
def test_exact(case: Case) -> None:
    assert_case(case)
