"""split_v: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import (
    Case,
    assert_case,
    assert_in_c,
    axis_of,
    integers,
    like,
    quantised,
    seeds,
    shapes,
)
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape = list(draw(shapes()))
    axis = axis_of(draw, len(shape))
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    shape[axis] = sum(sizes)
    if draw(st.booleans()):
        sizes[draw(st.integers(0, len(sizes) - 1))] = -1
    x = quantised(draw, tuple(shape), draw(st.sampled_from(dtypes)))
    inputs = [x, integers(sizes), integers(axis)]
    return one_op_graph("split_v", None, inputs, [like(x)] * len(sizes)), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("uint8", "bool", "int64")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
