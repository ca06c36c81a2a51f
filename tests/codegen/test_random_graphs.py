"""Random whole graphs: TFLM = NumPy reference = host C, and the same after a trip through a .tflite file."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.export.tflite import write_tflite
from edgegen.frontend.importers.tflite import load_tflite
from tests.exactness import assert_exact, cases, compare, random_inputs, run_reference
from tests.random_graphs import random_graph


@cases(150)
@given(st.integers(0, 2**32 - 1))
def test_exact(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, steps=int(rng.integers(1, 13)))
    given = random_inputs(graph, rng=rng, vectors=6)
    assert_exact(graph, rng=rng, inputs=given)
    back = load_tflite(write_tflite(graph))
    compare(graph, "the graph read back", run_reference(back, given), run_reference(graph, given))
