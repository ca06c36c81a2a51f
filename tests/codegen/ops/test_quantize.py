"""quantize: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import DType
from edgegen.codegen.ops.quantize import PAIRS, QuantizeAttributes
from edgegen.errors import ModelError
from tests.codegen.ops.checks import Case, assert_case, assert_in_c, points, scales, seeds, shapes
from tests.exactness import T, assert_exact, cases, one_op_graph, run_reference

INTEGERS = sorted((a.value, b.value) for a, b in PAIRS if a is not DType.FLOAT32)


def typed(draw: st.DrawFn, shape: tuple[int, ...] | None, dtype: str) -> T:
    zero_points = {"int8": points, "uint8": st.integers(0, 255), "int16": st.integers(-1000, 1000)}
    scale = draw(st.floats(2.0**-26, 2.0**-10)) if dtype == "int32" else draw(scales)
    return T(shape, dtype, scale, draw(zero_points.get(dtype, st.just(0))))


@st.composite
def graphs(draw: st.DrawFn) -> Case:
    source, target = draw(st.sampled_from(INTEGERS))
    x, y = typed(draw, draw(shapes(size=8)), source), typed(draw, None, target)
    return one_op_graph("quantize", QuantizeAttributes(DType(target)), [x], [y]), draw(seeds)


@cases(200)
@given(graphs())
def test_exact_between_integers(case: Case) -> None:
    assert_case(case)


@cases(20)
@given(points, seeds)
def test_exact_where_only_the_sign_bit_changes(zero_point: int, seed: int) -> None:
    for source, target, shift in (("int8", "uint8", 128), ("uint8", "int8", -128)):
        start = zero_point if source == "int8" else zero_point + 128
        x = T((64,), source, 0.25, start)
        y = T(None, target, 0.25, start + shift)
        assert_case((one_op_graph("quantize", QuantizeAttributes(DType(target)), [x], [y]), seed))


@st.composite
def from_float(draw: st.DrawFn) -> tuple[Case, tuple[np.ndarray, ...]]:
    """Numbers on, next to and between the steps, also at the halves."""
    target = draw(st.sampled_from(["int8", "int16"]))
    y = typed(draw, None, target)
    seed = draw(seeds)
    rng = np.random.default_rng(seed)
    limits = np.iinfo(target)
    steps = rng.integers(2 * limits.min, 2 * limits.max, (4, 50)) / 2
    exact = (steps * np.float32(y.scale)).astype(np.float32)
    around = np.nextafter(exact, rng.choice([-np.inf, np.inf], exact.shape).astype(np.float32))
    x = rng.choice(np.stack([exact, around, rng.normal(size=exact.shape) * 100]), axis=0)
    graph = one_op_graph("quantize", QuantizeAttributes(DType(target)), [T((50,), "float32")], [y])
    return (graph, seed), (x.astype(np.float32),)


@cases(200)
@given(from_float())
def test_exact_from_float(case: tuple[Case, tuple[np.ndarray, ...]]) -> None:
    (graph, seed), inputs = case
    assert_exact(graph, rng=np.random.default_rng(seed), inputs=inputs)


def test_floats_beyond_the_integers_saturate() -> None:
    """TFLM leaves them undefined; here the ends of the type, and the lowest for what is not a number."""
    y = T(scale=0.5, zero_point=-3)
    graph = one_op_graph("quantize", QuantizeAttributes(DType.INT8), [T((6,), "float32")], [y])
    x = np.array([[np.inf, -np.inf, 3e38, -3e38, np.nan, 1e10]], np.float32)
    assert run_reference(graph, [x])[0].tolist() == [[127, -128, 127, -128, -128, 127]]
    assert_in_c(graph, seed=0, inputs=[x])


@pytest.mark.parametrize("pair", [("uint8", "int16"), ("float32", "int32"), ("int32", "int32")])
def test_refuses_other_types(pair: tuple[str, str]) -> None:
    x = T((4,), pair[0], None if pair[0] == "float32" else 0.1)
    graph = one_op_graph("quantize", QuantizeAttributes(DType(pair[1])), [x], [T(None, pair[1], 0.1)])
    with pytest.raises(ModelError, match="float32 to int16"):
        run_reference(graph, [np.zeros((1, 4), pair[0])])
