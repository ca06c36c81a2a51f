"""Quantisation: a float graph and its ranges become an int8 graph with every scale decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from edgegen.codegen import ops
from edgegen.codegen.check import check_graph
from edgegen.codegen.graph import Array, DType, Graph, Node, Quantization, Tensor
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.quantize import QuantizeAttributes
from edgegen.codegen.quantization.calibrate import calibrate, checked_samples
from edgegen.codegen.quantization.observers import Range
from edgegen.codegen.quantization.options import QuantizeOptions
from edgegen.codegen.quantization.scales import activation_quantization
from edgegen.codegen.quantization.weights import QuantizedProduct, quantize_product
from edgegen.errors import ModelError, problems

__all__ = ["QuantizeOptions", "QuantizedModel", "quantize_graph"]

PRODUCTS = {"conv2d": 0, "depthwise_conv2d": 3, "fully_connected": 0, "transpose_conv": 0}
"""Operators with weights, and the axis of these that runs over the outputs."""
SUM_HEADROOM = 2.0**-17
"""An addition's output scale must stay above this share of its largest input scale."""


@dataclass(frozen=True, eq=False)
class QuantizedModel:
    """The int8 graph, the float graph it stands for (with the same tensor names), and what was noted."""

    graph: Graph
    float_graph: Graph
    ranges: Mapping[str, Range]
    notes: tuple[str, ...]


def quantize_graph(
    graph: Graph, calibration: Array | Sequence[Array], *, options: QuantizeOptions | None = None
) -> QuantizedModel:
    """Quantise a float graph by its calibration data.

    Raises ModelError for data or weights that cannot be used, naming all layers concerned.
    """
    chosen = options or QuantizeOptions()
    samples = checked_samples(graph, calibration)
    ranges = calibrate(graph, samples, chosen)
    activations = _activations(graph, ranges)
    conversion = _Conversion(graph, activations, chosen)
    for node in graph.nodes:
        conversion.convert(node)
    if conversion.problems:
        raise ModelError(problems(f"{graph.name} cannot be quantised:", conversion.problems))
    return QuantizedModel(
        check_graph(conversion.graph(), after="quantisation"), graph, ranges, tuple(conversion.notes)
    )


def _activations(graph: Graph, ranges: Mapping[str, Range]) -> dict[str, Quantization]:
    """Scale and zero point of every activation; tensors that must share them get the union of ranges.

    Where an operator fixes those of its output, the others of its group take them too if these hold their
    range; if not, the fixed one keeps its own, and is requantised for the others.
    """
    groups = _sharing_groups(graph)
    found: dict[str, Quantization] = {}
    for members in groups:
        fixed = {name: q for name in members if (q := _fixed(graph, name)) is not None}
        known = [ranges[name] for name in members if name in ranges]
        if not known:
            continue
        union = min(low for low, _ in known), max(high for _, high in known)
        fitting = [q for q in fixed.values() if _holds(q, union)]
        q = fitting[0] if fitting else activation_quantization(*union)
        found |= dict.fromkeys(members, q) | fixed
    return _with_headroom(graph, found)


def _holds(q: Quantization, wanted: Range) -> bool:
    """Whether int8 at this scale and zero point reaches both ends of a range, but for one step."""
    low, high = ((code - q.zero_point) * q.scale for code in (-128, 127))
    return low - q.scale <= wanted[0] and wanted[1] <= high + q.scale


def _sharing_groups(graph: Graph) -> list[list[str]]:
    """Tensors by the group of those that must have one scale."""
    parent: dict[str, str] = {name: name for name in graph.tensors}

    def find(name: str) -> str:
        while parent[name] != name:
            name = parent[name]
        return name

    for node in graph.nodes:
        if ops.get(node.op).keeps_quantization:
            shared = [n for n in (*node.inputs, *node.outputs) if n is not None and _is_activation(graph, n)]
            for other in shared[1:]:
                parent[find(other)] = find(shared[0])
    groups: dict[str, list[str]] = {}
    for name in graph.tensors:
        groups.setdefault(find(name), []).append(name)
    return list(groups.values())


def _is_activation(graph: Graph, name: str) -> bool:
    tensor = graph.tensors[name]
    return tensor.dtype is DType.FLOAT32 and tensor.data is None


def _fixed(graph: Graph, name: str) -> Quantization | None:
    producer = graph.producer(name)
    return None if producer is None else ops.get(producer.op).output_quantization(DType.INT8)


def _with_headroom(graph: Graph, found: dict[str, Quantization]) -> dict[str, Quantization]:
    """A sum that nearly cancels still needs a scale that its kernel can reach."""
    for node in graph.nodes:
        if node.op not in ("add", "sub"):
            continue
        largest = max((found[name].scale for name in node.inputs if name in found), default=0.0)
        output = found[node.outputs[0]]
        if output.scale < largest * SUM_HEADROOM:
            scale = float(np.float32(largest * SUM_HEADROOM))
            found[node.outputs[0]] = Quantization((scale,), output.zero_points)
    return found


class _Conversion:
    """Builds the int8 graph node by node."""

    def __init__(
        self, graph: Graph, activations: Mapping[str, Quantization], options: QuantizeOptions
    ) -> None:
        self._graph = graph
        self._activations = activations
        self._options = options
        self._tensors: dict[str, Tensor] = {}
        self._nodes: list[Node] = []
        self.problems: list[str] = []
        self.notes: list[str] = []
        for tensor in graph.tensors.values():
            q = activations.get(tensor.name)
            if q is not None and tensor.data is None:
                self._tensors[tensor.name] = tensor.replace(dtype=DType.INT8, quantization=q)
            elif tensor.dtype is not DType.FLOAT32:
                self._tensors[tensor.name] = tensor

    def graph(self) -> Graph:
        used = {n for node in self._nodes for n in (*node.inputs, *node.outputs)} | {*self._graph.inputs}
        tensors = {name: tensor for name, tensor in self._tensors.items() if name in used}
        return self._graph.replace(tensors=tensors, nodes=tuple(self._nodes))

    def convert(self, node: Node) -> None:
        view = NodeView.of(self._graph, node)
        try:
            made = self._product(view) if node.op in PRODUCTS else self._other(view)
            if ops.get(node.op).keeps_quantization:
                made = self._requantized(view, made)
            self._nodes.append(made)
        except ModelError as problem:
            self.problems.append(str(problem))

    def _requantized(self, view: NodeView, node: Node) -> Node:
        """Operands at another scale than the output's, which the operator expects, are requantised before."""
        wanted = self._activations[view.outputs[0].name]
        inputs: list[str | None] = []
        for name in node.inputs:
            if name is None or self._activations.get(name, wanted) == wanted:
                inputs.append(name)
                continue
            moved = f"{name}/requantized/{node.name}"
            self._tensors[moved] = self._tensors[name].replace(name=moved, quantization=wanted)
            self._nodes.append(Node(moved, "quantize", (name,), (moved,), QuantizeAttributes(), node.source))
            inputs.append(moved)
        return node.replace(inputs=tuple(inputs))

    def _product(self, view: NodeView) -> Node:
        node = view.node
        turned = node.op == "transpose_conv"  # whose inputs are shape, weights, activations, bias
        made: QuantizedProduct = quantize_product(
            view,
            axis=PRODUCTS[node.op],
            bias_at=3 if turned else 2,
            input_scale=self._activations[view.input(2 if turned else 0).name].scale,
            per_channel=self._options.per_channel,
        )
        self.notes += made.notes
        self._tensors[made.weights.name] = made.weights
        self._tensors[made.bias.name] = made.bias
        others = (node.inputs[2],) if turned else ()
        return node.replace(inputs=(node.inputs[0], made.weights.name, *others, made.bias.name))

    def _other(self, view: NodeView) -> Node:
        """Float constants among the inputs become int8 by their own range."""
        inputs: list[str | None] = []
        for tensor in view.inputs:
            if tensor is None or tensor.dtype is not DType.FLOAT32 or tensor.data is None:
                inputs.append(None if tensor is None else tensor.name)
                continue
            inputs.append(self._constant(view, tensor))
        return view.node.replace(inputs=tuple(inputs))

    def _constant(self, view: NodeView, tensor: Tensor) -> str:
        assert tensor.data is not None
        if not np.isfinite(tensor.data).all():
            raise view.error(f"the constant {tensor.describe()} holds NaN or infinite values")
        q = activation_quantization(float(tensor.data.min()), float(tensor.data.max()))
        if ops.get(view.node.op).keeps_quantization:
            q = self._activations[view.outputs[0].name]
        data = np.clip(np.round(tensor.data / q.scale) + q.zero_point, -128, 127).astype(np.int8)
        name = f"{tensor.name}/int8/{view.node.name}"
        self._tensors[name] = Tensor(name, tensor.shape, DType.INT8, q, data)
        return name
