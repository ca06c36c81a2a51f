"""gather_nd: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Array, Graph
from tests.codegen.ops.checks import assert_in_c, integers, like, quantised, seeds, shapes
from tests.exactness import T, assert_exact, cases, one_op_graph, run_reference, uniform


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> tuple[Graph, int, list[Array]]:
    shape = draw(shapes())
    axes = draw(st.integers(1, len(shape)))
    seed = draw(seeds)
    rng = np.random.default_rng(seed)
    own = draw(shapes(least=0, most=2))
    points = np.stack([rng.integers(0, size, (4, *own)) for size in shape[:axes]], axis=-1).astype(np.int32)
    constant = draw(st.booleans())
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    second = integers(points[0]) if constant else T((*own, axes), "int32")
    graph = one_op_graph("gather_nd", None, [x, second], [like(x)])
    data = uniform(rng, (4, *shape), np.dtype(x.dtype))
    return graph, seed, [data] if constant else [data, points]


@cases(200)
@given(graphs(("int8", "int8", "float32")))
def test_exact(case: tuple[Graph, int, list[Array]]) -> None:
    graph, seed, inputs = case
    assert_exact(graph, rng=np.random.default_rng(seed), inputs=inputs)


@cases(50)
@given(graphs(("int16", "int32", "uint8", "bool")))
def test_types_that_tflm_lacks(case: tuple[Graph, int, list[Array]]) -> None:
    graph, seed, inputs = case
    assert_in_c(graph, seed=seed, inputs=inputs)


def test_computed_points_out_of_range_are_clamped() -> None:
    graph = one_op_graph("gather_nd", None, [T((2, 3), scale=0.1), T((3, 2), "int32")], [T(scale=0.1)])
    inputs = [np.arange(6, dtype=np.int8).reshape(1, 2, 3), np.array([[[-5, 9], [1, 1], [9, -1]]], np.int32)]
    assert run_reference(graph, inputs)[0].tolist() == [[2, 4, 3]]
    assert_in_c(graph, seed=0, inputs=inputs)
