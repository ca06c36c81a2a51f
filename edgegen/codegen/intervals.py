"""Interval propagation: what every activation of an integer graph can be, through the exact arithmetic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from edgegen.codegen import ops
from edgegen.codegen.graph import Array, Graph, Node, Tensor
from edgegen.codegen.ops.base import NodeView


@dataclass(frozen=True, eq=False)
class Interval:
    """Lowest and highest value of each element, arrays of the tensor's shape."""

    low: Array
    high: Array

    @property
    def constant(self) -> Array:
        """Where only one value is possible."""
        fixed: Array = self.low == self.high
        return fixed


def propagate(graph: Graph) -> Mapping[str, Interval]:
    """The interval of every integer tensor, by name; tensors of other types are left out.

    Graph inputs and state may hold anything their type can.
    """
    known: dict[str, Interval] = {}
    for tensor in graph.tensors.values():
        if np.issubdtype(tensor.dtype.numpy, np.integer):
            known[tensor.name] = _at_rest(tensor)
    for node in graph.nodes:
        known.update(_through(graph, node, known))
    return MappingProxyType(known)


def _at_rest(tensor: Tensor) -> Interval:
    if tensor.constant:
        assert tensor.data is not None
        return Interval(tensor.data, tensor.data)
    limits: Any = np.iinfo(tensor.dtype.value)
    return Interval(
        np.broadcast_to(np.asarray(limits.min, tensor.dtype.numpy), tensor.shape),
        np.broadcast_to(np.asarray(limits.max, tensor.dtype.numpy), tensor.shape),
    )


def _through(graph: Graph, node: Node, known: Mapping[str, Interval]) -> dict[str, Interval]:
    view = NodeView.of(graph, node)
    operator = ops.get(node.op)
    params = operator.prepare(view)
    names = [node.inputs[position] for position in operator.call(view, params).inputs]
    if any(name is None or name not in known for name in names):
        return {}
    passed = [known[name] for name in names if name is not None]
    low, high = operator.bounds(
        view, params, [interval.low[np.newaxis] for interval in passed], [i.high[np.newaxis] for i in passed]
    )
    return {
        name: Interval(least[0], most[0])
        for name, least, most in zip(node.outputs, low, high, strict=True)
        if name in known
    }
