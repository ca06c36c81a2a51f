"""check_graph names every broken rule, all at once."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.codegen.check import check_graph
from edgegen.codegen.graph import DType, Graph, Node, Tensor
from edgegen.codegen.ops.common import Padding
from edgegen.codegen.ops.conv2d import Conv2dAttributes
from edgegen.codegen.ops.softmax import SoftmaxAttributes
from edgegen.errors import ModelError


def good() -> Graph:
    weights = np.ones((2, 1, 1, 3), np.float32)
    return Graph.build(
        name="g",
        tensors=[
            Tensor("x", (1, 4, 4, 3), DType.FLOAT32),
            Tensor("w", weights.shape, DType.FLOAT32, None, weights),
            Tensor("y", (1, 4, 4, 2), DType.FLOAT32),
            Tensor("z", (1, 4, 4, 2), DType.FLOAT32),
        ],
        nodes=[
            Node("conv", "conv2d", ("x", "w"), ("y",), Conv2dAttributes(padding=Padding())),
            Node("soft", "softmax", ("y",), ("z",), SoftmaxAttributes()),
        ],
        inputs=["x"],
        outputs=["z"],
    )


def test_a_good_graph_is_returned() -> None:
    graph = good()
    assert check_graph(graph) is graph


def test_unknown_tensors_and_doubled_names() -> None:
    graph = good()
    nodes = (graph.nodes[0].replace(inputs=("gone", "w")), graph.nodes[1].replace(name="conv"))
    with pytest.raises(ModelError, match="'gone', which is not there") as caught:
        check_graph(graph.replace(nodes=nodes))
    assert "two nodes are named 'conv'" in str(caught.value)


def test_order() -> None:
    graph = good()
    with pytest.raises(ModelError, match="softmax 'soft' reads 'y' before it is computed"):
        check_graph(graph.replace(nodes=graph.nodes[::-1]))


def test_a_tensor_is_computed_once_and_never_a_constant() -> None:
    graph = good()
    twice = (*graph.nodes, graph.nodes[1].replace(name="again"))
    with pytest.raises(ModelError, match="tensor 'z' is computed 2 times"):
        check_graph(graph.replace(nodes=twice))
    with pytest.raises(ModelError, match="it is an input, a constant or a state"):
        check_graph(graph.replace(nodes=(graph.nodes[0].replace(outputs=("w",)), graph.nodes[1])))


def test_shapes_and_attributes_must_be_the_operators_own() -> None:
    graph = good()
    tensors = {**graph.tensors, "z": graph.tensors["z"].replace(shape=(1, 2))}
    with pytest.raises(ModelError, match=r"should be float32\[1, 4, 4, 2\]"):
        check_graph(graph.replace(tensors=tensors), after="a test")
    wrong = (graph.nodes[0].replace(attributes=SoftmaxAttributes()), graph.nodes[1])
    with pytest.raises(ModelError, match="attributes of type SoftmaxAttributes"):
        check_graph(graph.replace(nodes=wrong))
