"""Small steps that passes are made of."""

from __future__ import annotations

from collections.abc import Mapping

from edgegen.codegen.graph import Graph, Node, Tensor


def sole_consumer(graph: Graph, name: str) -> Node | None:
    """The one node that reads a tensor, if there is just one and the tensor is no output of the graph."""
    consumers = graph.consumers(name)
    if len(consumers) != 1 or name in graph.outputs:
        return None
    return consumers[0]


def with_nodes(graph: Graph, nodes: tuple[Node, ...], changed: Mapping[str, Tensor]) -> Graph:
    """The graph with other nodes and some tensors new or changed; tensors that nobody uses vanish."""
    tensors = {**graph.tensors, **changed}
    used = {name for node in nodes for name in (*node.inputs, *node.outputs)}
    used |= {*graph.inputs, *graph.outputs}
    return graph.replace(nodes=nodes, tensors={n: t for n, t in tensors.items() if n in used or t.state})


def without(nodes: tuple[Node, ...], gone: Node, changed: Node) -> tuple[Node, ...]:
    """The nodes without one of them, and with another one changed; both are told by their names."""
    return tuple(changed if node.name == changed.name else node for node in nodes if node.name != gone.name)
