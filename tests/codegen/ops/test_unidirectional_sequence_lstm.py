"""unidirectional_sequence_lstm: TFLM = NumPy reference = host C, over sequences."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.unidirectional_sequence_lstm import LstmAttributes
from tests.exactness import T, assert_exact, cases, one_op_graph, uniform


@st.composite
def layers(draw: st.DrawFn) -> tuple[Graph, int]:
    """Batches, both orders of the axes, clipped cells, cell scales from coarse to fine."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    batch, steps = draw(st.integers(1, 2)), draw(st.integers(1, 4))
    features, units = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    time_major = draw(st.booleans())

    def weights(shape: tuple[int, ...]) -> T:
        return T(data=uniform(rng, shape, np.dtype(np.int8)), scale=float(np.exp2(rng.uniform(-9, -4))))

    hidden_scale, hidden_zero = draw(st.floats(2.0**-8, 2.0**-6)), draw(st.integers(-20, 20))
    shape = (steps, batch, features) if time_major else (batch, steps, features)
    x = T(shape, scale=draw(st.floats(2.0**-8, 2.0**-4)), zero_point=draw(st.integers(-128, 127)))
    biases = [T(None, "int32", scale=1.0, data=rng.integers(-(2**12), 2**12, units)) for _ in range(4)]
    zeros = np.zeros((batch, units))
    hidden = T(None, scale=hidden_scale, zero_point=hidden_zero, data=zeros + hidden_zero, state=True)
    cell = T(None, "int16", scale=2.0 ** draw(st.integers(-15, -9)), data=zeros, state=True)
    inputs: list[T | None] = [x]
    inputs += [weights((units, features)) for _ in range(4)] + [weights((units, units)) for _ in range(4)]
    inputs += [None] * 3 + biases + [None, None, hidden, cell] + [None] * 4
    attributes = LstmAttributes(time_major=time_major, cell_clip=draw(st.sampled_from([0.0, 0.0, 0.5, 10.0])))
    y = T(None, scale=hidden_scale, zero_point=hidden_zero)
    return one_op_graph("unidirectional_sequence_lstm", attributes, inputs, [y]), seed


@cases(200)
@given(layers())
def test_exact(case: tuple[Graph, int]) -> None:
    graph, seed = case
    assert_exact(graph, rng=np.random.default_rng(seed), sequence=True)
