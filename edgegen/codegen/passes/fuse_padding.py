"""Fuse an explicit zero padding into the convolution that follows it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from edgegen.codegen.graph import DType, Graph, Node
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.common import Padding
from edgegen.codegen.ops.conv2d import Conv2dAttributes
from edgegen.codegen.passes.rewriting import sole_consumer, with_nodes, without


@dataclass(frozen=True)
class FusePadding:
    name: str = "fuse-padding"

    def apply(self, graph: Graph) -> Graph:
        for node in graph.nodes:
            padding = _spatial(graph, node) if node.op == "pad" else None
            follower = None if padding is None else sole_consumer(graph, node.outputs[0])
            if padding is None or follower is None or not isinstance(follower.attributes, Conv2dAttributes):
                continue
            own = follower.attributes.padding
            total = Padding(
                top=own.top + padding.top,
                bottom=own.bottom + padding.bottom,
                left=own.left + padding.left,
                right=own.right + padding.right,
            )
            fused = follower.replace(
                inputs=(node.inputs[0], *follower.inputs[1:]),
                attributes=replace(follower.attributes, padding=total),
            )
            return self.apply(with_nodes(graph, without(graph.nodes, node, fused), {}))
        return graph


def _spatial(graph: Graph, node: Node) -> Padding | None:
    """A zero padding of height and width only."""
    view = NodeView.of(graph, node)
    amounts = view.optional(1)
    if len(view.inputs) != 2 or amounts is None or amounts.data is None or amounts.shape != (4, 2):
        return None
    if view.input(0).dtype is not DType.FLOAT32 or np.any(amounts.data[[0, 3]]):
        return None
    (top, bottom), (left, right) = amounts.data[1:3].tolist()
    return Padding(top=top, bottom=bottom, left=left, right=right)
