"""Runs a float graph in NumPy: what a network means, for calibration and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from edgegen.codegen import ops
from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.reference import check_inputs


def run_float(graph: Graph, inputs: Sequence[Array]) -> Mapping[str, Array]:
    """Every computed tensor by name, each (V, *shape), for inputs (V, *shape). Constants are left out."""
    check_inputs(graph, inputs)
    known: dict[str, Array | None] = {
        t.name: t.data[np.newaxis] for t in graph.tensors.values() if t.data is not None
    }
    constants = set(known)
    known |= dict(zip(graph.inputs, inputs, strict=True))
    for node in graph.nodes:
        view = NodeView.of(graph, node)
        arrays = [None if name is None else known[name] for name in node.inputs]
        for name, made in zip(node.outputs, ops.get(node.op).run_float(view, arrays), strict=True):
            known[name] = made
    return {name: array for name, array in known.items() if name not in constants and array is not None}
