"""The graph's rules, checked after every pass: all that is broken is listed in one error."""

from __future__ import annotations

from collections import Counter

from edgegen.codegen import ops
from edgegen.codegen.graph import DType, Graph, Node
from edgegen.codegen.ops.base import NodeView, TensorType
from edgegen.errors import ModelError, problems


def check_graph(graph: Graph, *, after: str = "") -> Graph:
    """The graph itself if it keeps every rule; ModelError lists what it breaks."""
    found = [*_names(graph), *_producers(graph), *_order(graph)] or _empty(graph)
    if not found:
        found = [problem for node in graph.nodes for problem in _node(graph, node)]
    if found:
        where = f" after {after}" if after else ""
        raise ModelError(problems(f"the graph '{graph.name}' is broken{where}:", found))
    return graph


def _names(graph: Graph) -> list[str]:
    used = [("input", name) for name in graph.inputs] + [("output", name) for name in graph.outputs]
    for node in graph.nodes:
        used += [
            (f"{node.op} '{node.name}'", name) for name in (*node.inputs, *node.outputs) if name is not None
        ]
    unknown = [
        f"{who} names the tensor '{name}', which is not there"
        for who, name in used
        if name not in graph.tensors
    ]
    wrong = [f"tensor '{t.name}' is filed as '{key}'" for key, t in graph.tensors.items() if key != t.name]
    twice = [
        f"two nodes are named '{name}'" for name, n in Counter(n.name for n in graph.nodes).items() if n > 1
    ]
    return unknown + wrong + twice


def _producers(graph: Graph) -> list[str]:
    made = Counter(name for node in graph.nodes for name in node.outputs)
    found = [f"tensor '{name}' is computed {count} times" for name, count in made.items() if count > 1]
    for name in made:
        tensor = graph.tensors.get(name)
        if tensor is not None and (tensor.data is not None or name in graph.inputs):
            found.append(f"tensor '{name}' is computed, but it is an input, a constant or a state")
    return found


def _order(graph: Graph) -> list[str]:
    known = {name for name, tensor in graph.tensors.items() if tensor.data is not None} | set(graph.inputs)
    found = []
    for node in graph.nodes:
        early = [name for name in node.inputs if name is not None and name not in known]
        found += [f"{node.op} '{node.name}' reads '{name}' before it is computed" for name in early]
        known |= set(node.outputs)
    found += [f"output '{name}' is never computed" for name in graph.outputs if name not in known]
    return found


def _empty(graph: Graph) -> list[str]:
    """Kernels run over at least one element; only constants, such as the shape of a scalar, may have none."""
    used = dict.fromkeys([*graph.inputs, *(name for node in graph.nodes for name in node.outputs)])
    tensors = [graph.tensors[name] for name in used] + list(graph.states())
    return [f"tensor {t.describe()} has no elements; remove what computes it" for t in tensors if not t.size]


def _node(graph: Graph, node: Node) -> list[str]:
    view = NodeView.of(graph, node)
    try:
        operator = ops.get(node.op)
        if not isinstance(node.attributes, operator.attributes):
            return [f"{node.op} '{node.name}' has attributes of type {type(node.attributes).__name__}"]
        inferred = operator.infer(view)
    except ModelError as problem:
        return [str(problem)]
    found = []
    for tensor, expected in zip(view.outputs, inferred, strict=False):
        if TensorType(tensor.shape, tensor.dtype) != expected:
            found.append(
                f"{node.op} '{node.name}': output {tensor.describe()} should be "
                f"{expected.dtype.value}{list(expected.shape)}"
            )
        if tensor.dtype in (DType.INT8, DType.INT16, DType.UINT8) and tensor.quantization is None:
            found.append(f"{node.op} '{node.name}': output {tensor.describe()} has no scale and zero point")
    return found
