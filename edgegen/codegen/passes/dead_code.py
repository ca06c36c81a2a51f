"""Remove nodes whose results nobody needs, and identities."""

from __future__ import annotations

from dataclasses import dataclass

from edgegen.codegen import ops
from edgegen.codegen.graph import Graph, Node
from edgegen.codegen.passes.rewriting import with_nodes


@dataclass(frozen=True)
class RemoveDeadCode:
    name: str = "remove-dead-code"

    def apply(self, graph: Graph) -> Graph:
        needed = set(graph.outputs)
        kept: list[Node] = []
        for node in reversed(graph.nodes):
            if needed.intersection(node.outputs) or ops.get(node.op).writes:
                kept.append(node)
                needed.update(name for name in node.inputs if name is not None)
        return with_nodes(graph, tuple(reversed(kept)), {})


@dataclass(frozen=True)
class RemoveIdentities:
    """Reshapes to the same shape."""

    name: str = "remove-identities"

    def apply(self, graph: Graph) -> Graph:
        for node in graph.nodes:
            source, result = node.inputs[0], node.outputs[0] if node.outputs else None
            if node.op != "reshape" or source is None or result is None or result in graph.outputs:
                continue
            if graph.tensors[source].shape == graph.tensors[result].shape:
                return self.apply(_bypassed(graph, node, source, result))
        return graph


def _bypassed(graph: Graph, gone: Node, source: str, result: str) -> Graph:
    nodes = tuple(
        node.replace(inputs=tuple(source if name == result else name for name in node.inputs))
        for node in graph.nodes
        if node is not gone
    )
    return with_nodes(graph, nodes, {})
