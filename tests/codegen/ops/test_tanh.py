"""tanh: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.errors import ModelError
from tests.codegen.ops.checks import Case, assert_case, points, seeds, shapes
from tests.exactness import T, assert_exact, cases, one_op_graph

POWERS = [2.0**-k for k in range(9, 15)]


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    shape = draw(shapes(size=12))
    if draw(st.integers(0, 2)):
        x = T(shape, scale=draw(st.floats(2.0**-14, 2.0**5)), zero_point=draw(points))
        y = T(scale=1 / 128, zero_point=0)
    else:
        scale = draw(st.one_of(st.sampled_from(POWERS), st.floats(2.0**-18, 2.5)))
        x, y = T(shape, "int16", scale), T(dtype="int16", scale=2.0**-15)
    return one_op_graph("tanh", None, [x], [y]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)


def test_refuses_another_output_scale() -> None:
    graph = one_op_graph("tanh", None, [T((4,), scale=0.1)], [T(scale=0.01)])
    with pytest.raises(ModelError, match="requantise after it"):
        assert_exact(graph, rng=np.random.default_rng(0))
