"""resize_bilinear: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.resizing import ResizeAttributes
from tests.codegen.ops.checks import Case, assert_case, integers, like, quantised, seeds
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape = tuple(draw(st.integers(1, most)) for most in (2, 12, 12, 4))
    size = [draw(st.integers(1, 30)) for _ in range(2)]
    alignment = draw(st.sampled_from([(False, False), (True, False), (False, True)]))
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    inputs = [x, integers(size)]
    return one_op_graph("resize_bilinear", ResizeAttributes(*alignment), inputs, [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8",)))
def test_exact(case: Case) -> None:
    assert_case(case)
