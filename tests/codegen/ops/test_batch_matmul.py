"""batch_matmul: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.batch_matmul import BatchMatmulAttributes
from tests.codegen.ops.elementwise import assert_case
from tests.exactness import T, cases, one_op_graph


@st.composite
def products(draw: st.DrawFn) -> tuple[Graph, int]:
    """Swapped operands, and batches of which either may be repeated."""
    rows, depth, columns = (draw(st.integers(1, 6)) for _ in range(3))
    adj_x, adj_y = draw(st.booleans()), draw(st.booleans())
    batches = draw(st.lists(st.integers(1, 3), max_size=2))
    repeated = [[1 if draw(st.booleans()) and draw(st.booleans()) else n for n in batches] for _ in range(2)]
    x = T(
        (*repeated[0], *((depth, rows) if adj_x else (rows, depth))),
        scale=draw(st.floats(0.01, 1.0)),
        zero_point=draw(st.integers(-128, 127)),
    )
    y = T(
        (*repeated[1], *((columns, depth) if adj_y else (depth, columns))),
        scale=draw(st.floats(0.01, 1.0)),
        zero_point=draw(st.integers(-128, 127)),
    )
    out = T(None, scale=draw(st.floats(0.01, 16.0)), zero_point=draw(st.integers(-128, 127)))
    attributes = BatchMatmulAttributes(adj_x=adj_x, adj_y=adj_y)
    return one_op_graph("batch_matmul", attributes, [x, y], [out]), draw(st.integers(0, 2**32 - 1))


@cases(200)
@given(products())
def test_exact(case: tuple[Graph, int]) -> None:
    assert_case(case)
