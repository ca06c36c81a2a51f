"""space_to_depth: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.ops.depth_to_space import BlockAttributes
from tests.codegen.ops.checks import Case, assert_case, assert_in_c, like, quantised, seeds
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    block = draw(st.integers(1, 3))
    batch, height, width, depth = (draw(st.integers(1, 4)) for _ in range(4))
    x = quantised(draw, (batch, height * block, width * block, depth), draw(st.sampled_from(dtypes)))
    return one_op_graph("space_to_depth", BlockAttributes(block), [x], [like(x)]), draw(seeds)


@cases(200)
@given(graphs(("int8", "int8", "float32")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("int16", "int32", "uint8")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
