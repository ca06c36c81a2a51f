"""Tensors without elements are refused before any kernel runs over them; empty constants are not."""

from __future__ import annotations

import pytest

from edgegen.codegen.check import check_graph
from edgegen.codegen.ops.reshape import ReshapeAttributes
from edgegen.errors import ModelError
from tests.codegen.ops.checks import integers
from tests.exactness import T, one_op_graph


def test_an_empty_input_is_refused() -> None:
    graph = one_op_graph("relu", None, [T((0, 3), scale=0.1)], [T(scale=0.1)])
    with pytest.raises(ModelError, match=r"'in0' int8\[0, 3\] has no elements"):
        check_graph(graph)


def test_an_empty_result_is_refused() -> None:
    inputs = [T((4,), scale=0.1), integers([1]), integers([0])]
    with pytest.raises(ModelError, match=r"'out0' int8\[0\] has no elements"):
        check_graph(one_op_graph("slice", None, inputs, [T(scale=0.1)]))


def test_the_shape_of_a_scalar_is_an_empty_constant() -> None:
    graph = one_op_graph("reshape", ReshapeAttributes(()), [T((1,), scale=0.1), integers([])], [T(scale=0.1)])
    assert check_graph(graph) is graph
