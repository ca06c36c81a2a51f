"""gather: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.ops.gather import GatherAttributes
from edgegen.errors import ModelError
from tests.codegen.ops.checks import assert_in_c, axis_of, integers, like, quantised, seeds, shapes
from tests.exactness import T, assert_exact, cases, one_op_graph, run_reference, uniform


@st.composite
def graphs(draw: st.DrawFn, dtypes: tuple[str, ...]) -> tuple[Graph, int, list[Array]]:
    """Constant positions and computed ones, the latter sometimes with axes of their own for each batch."""
    shape = draw(shapes())
    axis = axis_of(draw, len(shape))
    constant = draw(st.booleans())
    batch = 0 if constant else draw(st.integers(0, axis % len(shape)))
    seed = draw(seeds)
    rng = np.random.default_rng(seed)
    own = (*shape[:batch], *draw(shapes(least=0, most=2)))
    positions = rng.integers(0, shape[axis], (4, *own)).astype(np.int32)
    x = quantised(draw, shape, draw(st.sampled_from(dtypes)))
    second = integers(positions[0]) if constant else T(own, "int32")
    graph = one_op_graph("gather", GatherAttributes(axis, batch), [x, second], [like(x)])
    data = uniform(rng, (4, *shape), np.dtype(x.dtype))
    return graph, seed, [data] if constant else [data, positions]


@cases(200)
@given(graphs(("int8", "int8", "float32")))
def test_exact(case: tuple[Graph, int, list[Array]]) -> None:
    graph, seed, inputs = case
    assert_exact(graph, rng=np.random.default_rng(seed), inputs=inputs)
    assert_in_c(graph, seed=seed, inputs=inputs)


@cases(50)
@given(graphs(("int16", "int32", "uint8", "bool")))
def test_types_that_tflm_lacks(case: tuple[Graph, int, list[Array]]) -> None:
    graph, seed, inputs = case
    assert_in_c(graph, seed=seed, inputs=inputs)


def test_computed_positions_out_of_range_are_clamped() -> None:
    graph = one_op_graph("gather", None, [T((3,), scale=0.1), T((4,), "int32")], [T(scale=0.1)])
    inputs = [np.array([[1, 2, 3]], np.int8), np.array([[-1, 3, 2**31 - 1, -(2**31)]], np.int32)]
    assert run_reference(graph, inputs)[0].tolist() == [[1, 3, 3, 1]]
    assert_in_c(graph, seed=0, inputs=inputs)


def test_refuses_constant_positions_out_of_range() -> None:
    graph = one_op_graph("gather", None, [T((3,), scale=0.1), integers([0, 3])], [T(scale=0.1)])
    with pytest.raises(ModelError, match="not all within 3"):
        run_reference(graph, [np.zeros((1, 3), np.int8)])
