"""assign_variable: what it refuses; its exactness is tested with read_variable, over sequences."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.errors import ModelError
from tests.codegen.ops.checks import assert_in_c
from tests.exactness import T, one_op_graph, run_reference


def state(dtype: str = "int8", scale: float = 0.1) -> T:
    return T(dtype=dtype, scale=scale, data=np.zeros(4, dtype), state=True)


def test_takes_a_value_of_the_state_s_shape() -> None:
    with pytest.raises(ModelError, match="of the value's shape and type"):
        one_op_graph("assign_variable", None, [state(), T((5,), scale=0.1)], [])


def test_takes_a_state_only() -> None:
    with pytest.raises(ModelError, match="assigns to a state"):
        one_op_graph("assign_variable", None, [T((4,), scale=0.1), T((4,), scale=0.1)], [])


def test_takes_a_value_of_the_state_s_quantisation() -> None:
    graph = one_op_graph("assign_variable", None, [state(), T((4,), scale=0.2)], [])
    with pytest.raises(ModelError, match="requantise the value"):
        run_reference(graph, [np.zeros((1, 4), np.int8)])


def test_gives_nothing() -> None:
    graph = one_op_graph("assign_variable", None, [state(), T((4,), scale=0.1)], [])
    assert_in_c(graph, seed=0)
