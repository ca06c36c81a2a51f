"""rsqrt: TFLM = NumPy reference = host C."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import Graph
from tests.codegen.ops.checks import ALL_CODES, assert_in_c, points, scales
from tests.exactness import T, assert_exact, cases, one_op_graph


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    x = T((256,), scale=draw(scales), zero_point=draw(points))
    y = T(scale=draw(st.floats(2.0**-8, 2.0**3)), zero_point=draw(points))
    return one_op_graph("rsqrt", None, [x], [y])


@cases(200)
@given(graphs())
def test_exact(graph: Graph) -> None:
    q = graph.tensors["in0"].quantization
    assert q is not None
    # TFLM stops at numbers below the zero point
    positive = np.maximum(ALL_CODES, q.zero_point).astype(np.int8)
    assert_exact(graph, rng=np.random.default_rng(0), inputs=[positive[np.newaxis]])
    assert_in_c(graph, seed=0)
