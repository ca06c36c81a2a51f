"""strided_slice: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given, reject
from hypothesis import strategies as st

from edgegen.codegen.ops.strided_slice import StridedSliceAttributes
from edgegen.errors import ModelError
from tests.codegen.ops.checks import Case, assert_case, assert_in_c, integers, like, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    """Indices within and beyond the axis, strides of both signs, all masks."""
    shape = draw(shapes())
    begin, end = ([draw(st.integers(-n - 1, n + 1)) for n in shape] for _ in range(2))
    stride = [draw(st.sampled_from([1, 1, 2, 3, -1, -2])) for _ in shape]
    masks = [draw(st.sampled_from([0, draw(st.integers(0, 15))])) for _ in range(3)]
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    inputs = [x, integers(begin), integers(end), integers(stride)]
    try:
        return one_op_graph("strided_slice", StridedSliceAttributes(*masks), inputs, [like(x)]), draw(seeds)
    except ModelError:  # takes nothing of some axis
        reject()


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32", "bool")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("uint8", "int64")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
