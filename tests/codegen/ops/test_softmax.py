"""softmax: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.softmax import SoftmaxAttributes
from tests.codegen.ops.elementwise import assert_case
from tests.exactness import T, cases, one_op_graph


@st.composite
def rows(draw: st.DrawFn) -> tuple[Graph, int]:
    """One class and many, scales from flat to one-hot, beta other than 1."""
    shape = (*draw(st.lists(st.integers(1, 3), max_size=2)), draw(st.integers(1, 40)))
    x = T(shape, scale=draw(st.floats(2.0**-12, 2.0**4)), zero_point=draw(st.integers(-128, 127)))
    y = T(scale=1 / 256, zero_point=-128)
    beta = draw(st.sampled_from([1.0, 1.0, 0.5, 2.0]))
    return one_op_graph("softmax", SoftmaxAttributes(beta=beta), [x], [y]), draw(st.integers(0, 2**32 - 1))


@cases(200)
@given(rows())
def test_exact(case: tuple[Graph, int]) -> None:
    assert_case(case)
