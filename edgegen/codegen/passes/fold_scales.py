"""Fold a scale and shift of every channel into the matrix product before it.

Batch normalisation at inference is such a scale, and is frozen as a 1x1 depthwise convolution. It folds into
a preceding convolution, depthwise convolution or dense layer without activation whose result nobody else
reads. Into a following padded convolution it must not fold: the padding would have to be the shifted zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgegen.codegen.graph import Array, DType, Graph, Node, Tensor
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.common import Padding
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dAttributes
from edgegen.codegen.passes.rewriting import sole_consumer, with_nodes, without

PRODUCTS = {"conv2d": 0, "depthwise_conv2d": -1, "fully_connected": 0}
"""Operators that take a scale, and the axis of their weights that runs over the outputs."""


@dataclass(frozen=True)
class FoldChannelScales:
    name: str = "fold-channel-scales"

    def apply(self, graph: Graph) -> Graph:
        for node in graph.nodes:
            scale = sole_consumer(graph, node.outputs[0]) if node.op in PRODUCTS else None
            if scale is None or not _is_scale(graph, scale) or _activation(node) != "none":
                continue
            return self.apply(_folded(graph, node, scale))
        return graph


def _is_scale(graph: Graph, node: Node) -> bool:
    attributes = node.attributes
    if node.op != "depthwise_conv2d" or not isinstance(attributes, DepthwiseConv2dAttributes):
        return False
    x, weights = graph.node_inputs(node)[:2]
    assert x is not None and weights is not None
    plain = attributes.stride == (1, 1) and attributes.padding == Padding()
    return plain and weights.constant and weights.shape == (1, 1, 1, x.shape[-1]) and x.dtype is DType.FLOAT32


def _activation(node: Node) -> str:
    return str(getattr(node.attributes, "activation", "none"))


def _folded(graph: Graph, product: Node, scale: Node) -> Graph:
    inner, outer = NodeView.of(graph, product), NodeView.of(graph, scale)
    factor = outer.constant(1, "the scale").reshape(-1).astype(np.float64)
    weights = inner.constant(1, "the weights")
    axis = PRODUCTS[product.op] % weights.ndim
    shape = [-1 if i == axis else 1 for i in range(weights.ndim)]
    bias = _bias(inner, factor.size) * factor + _bias(outer, factor.size)
    named = {
        f"{product.name}/weights": (weights * factor.reshape(shape)).astype(np.float32),
        f"{product.name}/bias": bias.astype(np.float32),
    }
    changed = {
        name: Tensor(name, data.shape, DType.FLOAT32, None, np.ascontiguousarray(data))
        for name, data in named.items()
    }
    attributes = product.attributes
    if _activation(scale) != "none":
        attributes = type(attributes)(**{**attributes.__dict__, "activation": _activation(scale)})
    node = product.replace(inputs=(product.inputs[0], *named), outputs=scale.outputs, attributes=attributes)
    return with_nodes(graph, without(graph.nodes, scale, node), changed)


def _bias(view: NodeView, size: int) -> Array:
    if view.optional(2) is None:
        return np.zeros(size)
    return view.constant(2, "the bias").astype(np.float64)
