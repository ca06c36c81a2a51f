"""Graphs of elementwise operators with two operands."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.common import ACTIVATIONS
from edgegen.codegen.ops.sums import SumAttributes
from tests.exactness import T, assert_exact, one_op_graph, uniform

scales = st.floats(2.0**-10, 2.0**4)
points = st.integers(-128, 127)


@st.composite
def operand_shapes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Two shapes that broadcast, of up to four dimensions."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    kept = [tuple(1 if draw(st.integers(0, 3)) == 0 else size for size in shape) for _ in range(2)]
    cut = draw(st.integers(0, len(shape) - 1)) if draw(st.booleans()) else 0
    first, second = kept[0], kept[1][cut:]
    return (second, first) if draw(st.booleans()) else (first, second)


@st.composite
def sums(draw: st.DrawFn, op: str) -> tuple[Graph, int]:
    """An addition or subtraction; sometimes one operand is constant."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    shapes = draw(operand_shapes())
    s1, s2 = draw(scales), draw(scales)
    smallest = max(s1, s2) * 2.0**-18
    y = T(scale=draw(st.floats(smallest, 64.0)), zero_point=draw(points))
    operands = [T(shape, scale=s, zero_point=draw(points)) for shape, s in zip(shapes, (s1, s2), strict=True)]
    constant = draw(st.sampled_from([None, None, 0, 1]))
    if constant is not None:
        old = operands[constant]
        data = uniform(rng, shapes[constant], np.dtype(np.int8))
        operands[constant] = T(data=data, scale=old.scale, zero_point=old.zero_point)
    attributes = SumAttributes(activation=draw(st.sampled_from(ACTIVATIONS)))
    return one_op_graph(op, attributes, operands, [y]), seed


def assert_case(case: tuple[Graph, int]) -> None:
    graph, seed = case
    assert_exact(graph, rng=np.random.default_rng(seed))
