"""padv2: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, assert_in_c, integers, like, quantised, seeds, shapes
from tests.exactness import T, cases, one_op_graph, uniform


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape = draw(shapes())
    sides = st.sampled_from([0, 0, 1, 2, 5])
    pads = [(draw(sides), draw(sides)) for _ in shape]
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    seed = draw(seeds)
    data = uniform(np.random.default_rng(seed), (), np.dtype(x.dtype))
    value = T(None, x.dtype, x.scale, x.zero_point, data)
    return one_op_graph("padv2", None, [x, integers(pads), value], [like(x)]), seed


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("uint8", "bool")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
