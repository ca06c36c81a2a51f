"""space_to_batch_nd: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.codegen.ops.checks import Case, assert_case, assert_in_c, integers, like, quantised, seeds
from tests.exactness import cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> Case:
    """One or two spatial axes; the padded ones are whole blocks."""
    axes = draw(st.integers(1, 2))
    block = [draw(st.integers(1, 3)) for _ in range(axes)]
    before = [draw(st.integers(0, 3)) for _ in range(axes)]
    space = [draw(st.integers(1, 6)) for _ in range(axes)]
    after = [-(b + n) % k + k * draw(st.integers(0, 1)) for b, n, k in zip(before, space, block, strict=True)]
    pads = list(zip(before, after, strict=True))
    shape = (draw(st.integers(1, 2)), *space, draw(st.integers(1, 4)))
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    return one_op_graph("space_to_batch_nd", None, [x, integers(block), integers(pads)], [like(x)]), draw(
        seeds
    )


@cases(200)
@given(graphs(("int8", "int8", "float32")))
def test_exact(case: Case) -> None:
    assert_case(case)


@cases(50)
@given(graphs(("int16", "int32", "uint8")))
def test_types_that_tflm_lacks(case: Case) -> None:
    graph, seed = case
    assert_in_c(graph, seed=seed)
