"""cumsum: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.cumsum import CumsumAttributes
from tests.codegen.ops.checks import Case, assert_case, axis_of, integers, points, quantised, seeds, shapes
from tests.exactness import T, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    """TFLM wants an output scale that a shifted sum can reach."""
    shape = draw(shapes(size=8))
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    y = T(scale=float(x.scale) * draw(st.floats(2.0**-6, 2.0**6)), zero_point=draw(points))
    attributes = CumsumAttributes(draw(st.booleans()), draw(st.booleans()))
    return one_op_graph("cumsum", attributes, [x, integers(axis_of(draw, len(shape)))], [y]), draw(seeds)


@cases(200)
@given(graphs(("int8",)))
def test_exact(case: Case) -> None:
    assert_case(case)
