"""prelu: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, points, quantised, seeds
from tests.codegen.ops.elementwise import operand_shapes
from tests.exactness import T, cases, one_op_graph, uniform


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    dtype = draw(st.sampled_from(["int8", "int8", "int16"]))
    seed = draw(seeds)
    shape, slopes = draw(operand_shapes())
    data = uniform(np.random.default_rng(seed), slopes, np.dtype(np.int8))
    alpha = T(data=data, scale=draw(st.floats(2.0**-10, 2.0**-4)), zero_point=draw(points))
    x, y = quantised(draw, shape, dtype), quantised(draw, None, dtype)
    return one_op_graph("prelu", None, [x, alpha], [y]), seed


@cases(200)
@given(graphs())
def test_exact(case: Case) -> None:
    assert_case(case)
