"""broadcast_to: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, integers, like, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    wanted = draw(shapes(most=5, size=4))
    shape = tuple(draw(st.sampled_from([1, size])) for size in wanted)
    x = quantised(draw, shape[draw(st.integers(0, len(shape) - 1)) :], draw(st.sampled_from(dtypes)))
    return one_op_graph("broadcast_to", None, [x, integers(wanted)], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32", "bool", "uint8", "int64")))
def test_exact(case: Case) -> None:
    assert_case(case)
