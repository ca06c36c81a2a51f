"""reverse_v2: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, integers, like, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    """Neighbouring axes, as TFLM wants them."""
    shape = draw(shapes(most=5))
    first = draw(st.integers(0, len(shape) - 1))
    axes = list(range(first, draw(st.integers(first, len(shape) - 1)) + 1))
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    return one_op_graph("reverse_v2", None, [x, integers(axes)], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32", "bool", "uint8", "int64")))
def test_exact(case: Case) -> None:
    assert_case(case)
