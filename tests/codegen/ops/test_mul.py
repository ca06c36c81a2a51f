"""mul: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.common import ACTIVATIONS
from edgegen.codegen.ops.mul import MulAttributes
from tests.codegen.ops.elementwise import assert_case, operand_shapes, points, scales
from tests.exactness import T, cases, one_op_graph, uniform


@st.composite
def products(draw: st.DrawFn) -> tuple[Graph, int]:
    """int8 and int16, sometimes with a constant operand."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    dtype = draw(st.sampled_from(["int8", "int16"]))
    zero = points if dtype == "int8" else st.just(0)
    operands = [
        T(shape, dtype, scale=draw(scales), zero_point=draw(zero)) for shape in draw(operand_shapes())
    ]
    constant = draw(st.sampled_from([None, None, 0, 1]))
    if constant is not None:
        old = operands[constant]
        data = uniform(rng, old.shape, np.dtype(dtype))
        operands[constant] = T(None, dtype, scale=old.scale, zero_point=old.zero_point, data=data)
    y = T(None, dtype, scale=draw(st.floats(2.0**-8, 64.0)), zero_point=draw(zero))
    attributes = MulAttributes(activation=draw(st.sampled_from(ACTIVATIONS)))
    return one_op_graph("mul", attributes, operands, [y]), seed


@cases(200)
@given(products())
def test_exact(case: tuple[Graph, int]) -> None:
    assert_case(case)
