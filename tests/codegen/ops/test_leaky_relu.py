"""leaky_relu: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.leaky_relu import LeakyReluAttributes
from tests.codegen.ops.checks import Case, assert_case, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    """Slopes of any sign, also above 1."""
    dtype = draw(st.sampled_from(["int8", "int8", "int16"]))
    x = quantised(draw, draw(shapes(size=12)), dtype)
    attributes = LeakyReluAttributes(alpha=draw(st.floats(-2.0, 2.0, width=32)))
    return one_op_graph("leaky_relu", attributes, [x], [quantised(draw, None, dtype)]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)
