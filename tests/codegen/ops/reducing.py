"""Graphs of reductions."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.reductions import ReductionAttributes
from tests.exactness import T, one_op_graph


@st.composite
def reductions(draw: st.DrawFn, op: str, *, rescales: bool) -> tuple[Graph, int]:
    """Any axes, negative ones too, kept or dropped."""
    shape = tuple(draw(st.lists(st.integers(1, 6), min_size=2, max_size=4)))
    rank = len(shape)
    axes = draw(st.lists(st.integers(-rank, rank - 1), min_size=1, max_size=2, unique_by=lambda a: a % rank))
    scale, zero_point = draw(st.floats(2.0**-8, 4.0)), draw(st.integers(-128, 127))
    x = T(shape, scale=scale, zero_point=zero_point)
    y = T(scale=scale, zero_point=zero_point)
    if rescales:
        y = T(scale=draw(st.floats(2.0**-8, 4.0)), zero_point=draw(st.integers(-128, 127)))
    attributes = ReductionAttributes(keep_dims=draw(st.booleans()))
    inputs = [x, T(data=np.array(axes), dtype="int32")]
    return one_op_graph(op, attributes, inputs, [y]), draw(st.integers(0, 2**32 - 1))
