"""unpack: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.unpack import UnpackAttributes
from tests.codegen.ops.checks import Case, assert_case, assert_in_c, axis_of, like, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape = draw(shapes())
    axis = axis_of(draw, len(shape))
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    return one_op_graph("unpack", UnpackAttributes(axis), [x], [like(x)] * shape[axis]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("uint8", "bool", "int64")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
