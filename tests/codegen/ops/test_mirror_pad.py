"""mirror_pad: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.mirror_pad import MODES, MirrorPadAttributes
from tests.codegen.ops.checks import Case, assert_case, assert_in_c, integers, like, quantised, seeds, shapes
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    mode = draw(st.sampled_from(MODES))
    shape = draw(shapes())
    most = [size - (mode == "reflect") for size in shape]
    pads = [(draw(st.integers(0, n)), draw(st.integers(0, n))) for n in most]
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    return one_op_graph("mirror_pad", MirrorPadAttributes(mode), [x, integers(pads)], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "float32")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("int16", "int32", "uint8", "bool")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
