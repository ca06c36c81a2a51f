"""read_variable and assign_variable: TFLM = NumPy reference = host C, over sequences."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph, Node
from edgegen.codegen.ops.concatenation import ConcatenationAttributes
from tests.codegen.ops.checks import Case, points, scales, seeds
from tests.exactness import T, assert_exact, cases, tensor


def window(shape: tuple[int, ...], length: int, q: T, *, read_last: bool) -> Graph:
    """The last `length` inputs: read the state, append the input, drop the oldest, assign."""

    def like(*shape: int) -> T:
        return T(shape, q.dtype, q.scale, q.zero_point)

    start = np.full((length, *shape), q.zero_point, np.int8)
    zeros, ones = np.zeros(len(shape), int).tolist(), np.array(shape).tolist()
    tensors = [
        tensor("x", like(1, *shape)),
        tensor("state", T(None, q.dtype, q.scale, q.zero_point, start, state=True)),
        tensor("old", like(length, *shape)),
        tensor("joined", like(length + 1, *shape)),
        tensor("begin", T(dtype="int32", data=np.array([1, *zeros]))),
        tensor("size", T(dtype="int32", data=np.array([length, *ones]))),
        tensor("new", like(length, *shape)),
        tensor("later", like(length, *shape)),
    ]
    nodes = [
        Node("read", "read_variable", ("state",), ("old",)),
        Node("join", "concatenation", ("old", "x"), ("joined",), ConcatenationAttributes(0)),
        Node("drop", "slice", ("joined", "begin", "size"), ("new",)),
        Node("assign", "assign_variable", ("state", "new"), ()),
        Node("again", "read_variable", ("state",), ("later",)),
    ]
    outputs = ["joined", "later"] if read_last else ["old", "new"]
    used = nodes if read_last else nodes[:4]
    kept = [t for t in tensors if read_last or t.name != "later"]
    return Graph.build(name="window", tensors=kept, nodes=used, inputs=["x"], outputs=outputs)


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=2)))
    q = T((), scale=draw(scales), zero_point=draw(points))
    return window(shape, draw(st.integers(1, 5)), q, read_last=draw(st.booleans())), draw(seeds)


@cases(200)
@given(graphs())
def test_exact_over_a_sequence(case: Case) -> None:
    graph, seed = case
    assert_exact(graph, rng=np.random.default_rng(seed), vectors=12, sequence=True)
