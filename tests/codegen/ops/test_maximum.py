"""maximum: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.errors import ModelError
from tests.codegen.ops.checks import Case, assert_case, like, quantised, seeds
from tests.codegen.ops.elementwise import operand_shapes
from tests.exactness import T, assert_exact, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    dtype = draw(st.sampled_from(["int8", "int8", "int16", "int32"]))
    shape, other = draw(operand_shapes())
    x = quantised(draw, shape, dtype)
    return one_op_graph("maximum", None, [x, like(x, other)], [like(x)]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)


def test_refuses_two_scales() -> None:
    graph = one_op_graph("maximum", None, [T((4,), scale=0.1), T((4,), scale=0.2)], [T(scale=0.1)])
    with pytest.raises(ModelError, match="requantise first"):
        assert_exact(graph, rng=np.random.default_rng(0))
