"""reshape: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.reshape import ReshapeAttributes
from tests.codegen.ops.checks import Case, assert_case, integers, like, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    """The shape as an attribute or as a constant, sometimes with one size left open."""
    given_shape = draw(shapes(least=0))
    order = draw(st.permutations(given_shape))
    cut = draw(st.integers(0, len(order)))
    wanted = [int(np.prod(order[:cut])), *order[cut:]]
    if draw(st.booleans()):
        wanted[draw(st.integers(0, len(wanted) - 1))] = -1
    x = quantised(draw, given_shape, draw(st.sampled_from(dtypes)))
    if draw(st.booleans()):
        return one_op_graph("reshape", ReshapeAttributes(tuple(wanted)), [x], [like(x)]), draw(seeds)
    return one_op_graph("reshape", None, [x, integers(wanted)], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32", "bool", "uint8", "int64")))
def test_exact(case: Case) -> None:
    assert_case(case)
