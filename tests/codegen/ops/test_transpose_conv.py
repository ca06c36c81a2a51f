"""transpose_conv: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.common import Padding, same_padding
from edgegen.codegen.ops.transpose_conv import TransposeConvAttributes
from edgegen.errors import ModelError
from tests.codegen.ops.elementwise import assert_case
from tests.exactness import T, cases, one_op_graph, uniform


@st.composite
def layers(draw: st.DrawFn) -> tuple[Graph, int]:
    """SAME and VALID, windows smaller and larger than the stride."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    kernel = draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    stride = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    size = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    channels, out_c, batch = draw(st.integers(1, 4)), draw(st.integers(1, 4)), draw(st.integers(1, 2))
    padding = Padding()
    out = [(n - 1) * s + k for n, s, k in zip(size, stride, kernel, strict=True)]
    if draw(st.booleans()):
        out = [n * s for n, s in zip(size, stride, strict=True)]
        pairs = [same_padding(n, k, s) for n, k, s in zip(out, kernel, stride, strict=True)]
        padding = Padding(*pairs[0], *pairs[1])
    scales = np.exp2(rng.uniform(-12, -2, out_c))
    shape = T(None, "int32", data=[batch, *out, out_c])
    w = T(data=uniform(rng, (out_c, *kernel, channels), np.dtype(np.int8)), scale=scales)
    x = T((batch, *size, channels), scale=0.5, zero_point=draw(st.integers(-128, 127)))
    b = T(None, "int32", scale=0.5 * scales, data=rng.integers(-(2**14), 2**14, out_c))
    y = T(None, scale=draw(st.floats(0.01, 64.0)), zero_point=draw(st.integers(-128, 127)))
    inputs = [shape, w, x, b] if draw(st.booleans()) else [shape, w, x]
    attributes = TransposeConvAttributes(stride=stride, padding=padding)
    return one_op_graph("transpose_conv", attributes, inputs, [y]), seed


@cases(200)
@given(layers())
def test_exact(case: tuple[Graph, int]) -> None:
    assert_case(case)


def test_a_bias_of_another_type_is_refused() -> None:
    x, w = T((1, 2, 2, 3), scale=1.0, zero_point=0), T(data=np.ones((2, 1, 1, 3), np.int8), scale=1.0)
    b = T(data=np.ones(2, np.int8), scale=1.0)
    shape = T(None, "int32", data=[1, 2, 2, 2])
    with pytest.raises(ModelError, match="takes a bias of int32"):
        one_op_graph("transpose_conv", TransposeConvAttributes(), [shape, w, x, b], [T(scale=1.0)])
