"""Compute at build time what depends on constants only."""

from __future__ import annotations

from dataclasses import dataclass

from edgegen.codegen import ops
from edgegen.codegen.graph import DType, Graph, Node, Tensor
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.passes.rewriting import with_nodes


@dataclass(frozen=True)
class FoldConstants:
    """Float nodes whose inputs are all constant become constants."""

    name: str = "fold-constants"

    def apply(self, graph: Graph) -> Graph:
        tensors = dict(graph.tensors)
        kept: list[Node] = []
        for node in graph.nodes:
            view = NodeView.of(graph.replace(tensors=tensors), node)
            if not _constant(view) or set(node.outputs) & set(graph.outputs):
                kept.append(node)
                continue
            arrays = [None if t is None or t.data is None else t.data[None] for t in view.inputs]
            for tensor, made in zip(view.outputs, ops.get(node.op).run_float(view, arrays), strict=True):
                tensors[tensor.name] = Tensor(
                    tensor.name, tensor.shape, tensor.dtype, None, made[0].astype(tensor.dtype.numpy)
                )
        return with_nodes(graph.replace(tensors=tensors), tuple(kept), {})


def _constant(view: NodeView) -> bool:
    inputs = [tensor for tensor in view.inputs if tensor is not None]
    floats = all(tensor.dtype in (DType.FLOAT32, DType.INT32, DType.INT64) for tensor in view.outputs)
    return bool(inputs) and floats and all(tensor.constant for tensor in inputs)
