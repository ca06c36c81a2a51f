"""Graphs of pooling operators."""

from __future__ import annotations

from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.common import ACTIVATIONS, Padding, same_padding
from edgegen.codegen.ops.pools import PoolAttributes
from tests.exactness import T, one_op_graph


@st.composite
def pools(draw: st.DrawFn, op: str) -> tuple[Graph, int]:
    """SAME and VALID windows of any size and stride."""
    size = (draw(st.integers(1, 5)), draw(st.integers(1, 5)))
    stride = (draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    shape = (draw(st.integers(1, 2)), draw(st.integers(size[0], 9)), draw(st.integers(size[1], 9)))
    pairs = [same_padding(n, k, s) for n, k, s in zip(shape[1:], size, stride, strict=True)]
    padding = Padding(*pairs[0], *pairs[1]) if draw(st.booleans()) else Padding()
    attributes = PoolAttributes(
        size=size, stride=stride, padding=padding, activation=draw(st.sampled_from(ACTIVATIONS))
    )
    scale, zero_point = draw(st.floats(0.01, 1.0)), draw(st.integers(-128, 127))
    x = T((*shape, draw(st.integers(1, 5))), scale=scale, zero_point=zero_point)
    y = T(scale=scale, zero_point=zero_point)
    return one_op_graph(op, attributes, [x], [y]), draw(st.integers(0, 2**32 - 1))
