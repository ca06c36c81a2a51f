"""squeeze: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.squeeze import SqueezeAttributes
from tests.codegen.ops.checks import Case, assert_case, like, quantised, seeds
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    shape = draw(st.lists(st.sampled_from([1, 1, 2, 3, 5]), min_size=1, max_size=5))
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    axes = draw(st.lists(st.sampled_from(ones), unique=True)) if ones else []
    axes = [axis - len(shape) if draw(st.booleans()) else axis for axis in axes]
    x = quantised(draw, tuple(shape), draw(st.sampled_from(dtypes)))
    return one_op_graph("squeeze", SqueezeAttributes(tuple(axes)), [x], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "int16", "int32", "float32", "bool", "uint8", "int64")))
def test_exact(case: Case) -> None:
    assert_case(case)
