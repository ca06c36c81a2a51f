"""What the tests of the elementwise and moving operators check beside exactness, and what they draw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from edgegen.codegen import ops
from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.ops.base import NodeView
from tests.exactness import T, assert_exact, compare, random_inputs, run_host, run_reference, uniform

Case = tuple[Graph, int]

seeds = st.integers(0, 2**32 - 1)
scales = st.floats(2.0**-12, 2.0**3)
points = st.integers(-128, 127)
ALL_CODES = np.arange(-128, 128, dtype=np.int8)


def shapes(*, least: int = 1, most: int = 4, size: int = 5) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of `least` to `most` axes of up to `size` elements."""
    return st.lists(st.integers(1, size), min_size=least, max_size=most).map(tuple)


def quantised(draw: st.DrawFn, shape: tuple[int, ...] | None, dtype: str) -> T:
    """A tensor of that type, quantised where the type is: int16 at zero point 0."""
    if dtype not in ("int8", "uint8", "int16"):
        return T(shape, dtype)
    zero_point = draw(points) if dtype == "int8" else 0
    return T(shape, dtype, draw(scales), zero_point)


def like(x: T, shape: tuple[int, ...] | None = None) -> T:
    """A tensor of the same type and quantisation."""
    return T(shape, x.dtype, x.scale, x.zero_point)


def integers(values: object, dtype: str = "int32") -> T:
    """A constant of integers: axes, sizes, positions."""
    return T(dtype=dtype, data=np.array(values, dtype=dtype))


def axis_of(draw: st.DrawFn, rank: int) -> int:
    """An axis, also counted from the end."""
    return draw(st.integers(-rank, rank - 1))


def assert_case(case: Case) -> None:
    """TFLM = reference = C, and what the operator says of bounds and channels holds."""
    graph, seed = case
    rng = np.random.default_rng(seed)
    assert_exact(graph, rng=rng)
    assert_bounds(graph, rng=rng)
    assert_channels(graph, rng=rng)


def assert_in_c(graph: Graph, *, seed: int, inputs: Sequence[Array] | None = None) -> None:
    """The reference and the C agree: for types and operators that TFLM does not have."""
    rng = np.random.default_rng(seed)
    given = random_inputs(graph, rng=rng, vectors=8) if inputs is None else inputs
    compare(graph, "host C", run_host(graph, given), run_reference(graph, given))
    assert_bounds(graph, rng=rng)
    assert_channels(graph, rng=rng)


def assert_near_float(graph: Graph, *, steps: int = 1) -> None:
    """For every int8 input the output is the float function's, within that many steps, or at the end."""
    view = NodeView.of(graph, graph.nodes[0])
    x, y = view.input(0), view.outputs[0]
    assert x.quantization is not None and y.quantization is not None
    codes = np.resize(ALL_CODES, (1, *x.shape))
    (got,) = run_reference(graph, [codes])
    real = (codes.astype(np.float32) - x.quantization.zero_point) * np.float32(x.quantization.scale)
    (expected,) = ops.get(view.node.op).run_float(view, [real.astype(np.float32)])
    with np.errstate(invalid="ignore"):
        wanted = expected.astype(np.float64) / y.quantization.scale + y.quantization.zero_point
    wanted = np.clip(np.nan_to_num(wanted, nan=y.quantization.zero_point), -128, 127)
    assert np.abs(got - wanted).max() <= steps


def assert_bounds(graph: Graph, *, rng: np.random.Generator) -> None:
    """Inputs between two limits give outputs between the bounds of the limits."""
    node = graph.nodes[0]
    view = NodeView.of(graph, node)
    operator = ops.get(node.op)
    params = operator.prepare(view)
    tensors = [view.input(position) for position in operator.call(view, params).inputs]
    if any(t.state or t.dtype.numpy.kind not in "iu" for t in (*tensors, *view.outputs)):
        return
    low, high, between = [], [], []
    for tensor in tensors:
        a, b = (uniform(rng, (1, *tensor.shape), tensor.dtype.numpy) for _ in range(2))
        if tensor.data is not None:
            a = b = tensor.data[np.newaxis]
        low.append(np.minimum(a, b))
        high.append(np.maximum(a, b))
        anything = uniform(rng, (8, *tensor.shape), tensor.dtype.numpy)
        between.append(np.clip(anything, low[-1], high[-1]))
    least, most = operator.bounds(view, params, low, high)
    for got, lowest, highest in zip(operator.run_int(params, between), least, most, strict=True):
        assert lowest.shape == highest.shape == (1, *got.shape[1:])
        assert (got >= lowest).all() and (got <= highest).all()


def assert_channels(graph: Graph, *, rng: np.random.Generator) -> None:
    """A change of one input channel reaches only the output channels that are said to come from it."""
    view = NodeView.of(graph, graph.nodes[0])
    sources = ops.get(view.node.op).channel_sources(view)
    computed = [graph.tensors[name] for name in graph.inputs]
    if sources is None or len(computed) != 1 or graph.states() or not computed[0].shape:
        return
    assert sources.shape == (view.outputs[0].shape[-1],)
    x = computed[0]
    before = uniform(rng, (4, *x.shape), x.dtype.numpy)
    channel = int(rng.integers(x.shape[-1]))
    after = before.copy()
    after[..., channel] = uniform(rng, after[..., channel].shape, x.dtype.numpy)
    changed = run_reference(graph, [before])[0] != run_reference(graph, [after])[0]
    assert not changed[..., sources != channel].any()
