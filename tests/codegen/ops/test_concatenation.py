"""concatenation: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.concatenation import ConcatenationAttributes
from tests.codegen.ops.checks import (
    Case,
    assert_case,
    assert_in_c,
    axis_of,
    like,
    quantised,
    seeds,
    shapes,
)
from tests.exactness import T, cases, one_op_graph, uniform


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    """One to ten tensors, which is as many as TFLM takes; sometimes one is constant."""
    shape = list(draw(shapes()))
    axis = axis_of(draw, len(shape))
    x = quantised(draw, None, draw(st.sampled_from(dtypes)))
    seed = draw(seeds)
    parts = []
    for size in draw(st.lists(st.integers(1, 4), min_size=1, max_size=10)):
        shape[axis] = size
        parts.append(like(x, tuple(shape)))
    if len(parts) > 1 and draw(st.booleans()):
        constant = parts[-1]
        assert constant.shape is not None
        data = uniform(np.random.default_rng(seed), constant.shape, np.dtype(x.dtype))
        parts[-1] = T(None, x.dtype, x.scale, x.zero_point, data)
    return one_op_graph("concatenation", ConcatenationAttributes(axis), parts, [like(x)]), seed


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32", "bool", "int64")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("uint8",)))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
