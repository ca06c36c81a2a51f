"""Fuse an activation into the operator before it."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from edgegen.codegen.graph import DType, Graph, Node
from edgegen.codegen.passes.rewriting import sole_consumer, with_nodes, without

FUSED = ("relu", "relu6", "relu_n1_to_1")


@dataclass(frozen=True)
class FuseActivations:
    """In float graphs: an activation whose input nobody else reads becomes an attribute of its producer."""

    name: str = "fuse-activations"

    def apply(self, graph: Graph) -> Graph:
        for node in graph.nodes:
            activation = sole_consumer(graph, node.outputs[0]) if _takes_activation(graph, node) else None
            if activation is None or activation.op not in FUSED:
                continue
            attributes = replace(node.attributes, activation=activation.op)  # type: ignore[call-arg]
            fused = node.replace(outputs=activation.outputs, attributes=attributes)
            return self.apply(with_nodes(graph, without(graph.nodes, activation, fused), {}))
        return graph


def _takes_activation(graph: Graph, node: Node) -> bool:
    if len(node.outputs) != 1 or graph.tensors[node.outputs[0]].dtype is not DType.FLOAT32:
        return False
    names = {field.name for field in fields(node.attributes)}
    return "activation" in names and getattr(node.attributes, "activation") == "none"  # noqa: B009
