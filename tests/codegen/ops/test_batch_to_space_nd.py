"""batch_to_space_nd: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, assert_in_c, integers, like, quantised, seeds
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    """One or two spatial axes; crops leave at least one element."""
    axes = draw(st.integers(1, 2))
    block = [draw(st.integers(1, 3)) for _ in range(axes)]
    space = [draw(st.integers(1, 4)) for _ in range(axes)]
    crops = []
    for size, n in zip(space, block, strict=True):
        first = draw(st.integers(0, size * n - 1))
        crops.append((first, draw(st.integers(0, size * n - 1 - first))))
    shape = (draw(st.integers(1, 2)) * int(np.prod(block)), *space, draw(st.integers(1, 4)))
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    inputs = [x, integers(block), integers(crops)]
    return one_op_graph("batch_to_space_nd", None, inputs, [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "float32")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("int16", "int32", "uint8")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
