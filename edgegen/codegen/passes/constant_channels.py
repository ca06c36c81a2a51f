"""Remove channels that can only ever hold one value, exactly.

Interval propagation through the exact requantiser finds channels whose every element is one and the same
number for every possible input. Such a channel need not be computed: a following matrix product gets its
share as an addition to the bias, and operators that keep channels apart lose the channel too. Padded
convolutions see other values at the border, so they absorb a channel only if its value is the padding's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgegen.codegen import ops
from edgegen.codegen.arithmetic import INT32_MAX, INT32_MIN
from edgegen.codegen.graph import Array, DType, Graph, Node, Quantization, Tensor
from edgegen.codegen.intervals import Interval, propagate
from edgegen.codegen.ops.base import NodeView, Operator

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RemoveConstantChannels:
    """The pass: int8 graph in, smaller int8 graph out, the same outputs for every input."""

    name: str = "remove-constant-channels"

    def apply(self, graph: Graph) -> Graph:
        removal = find(graph)
        return _rewrite(graph, removal) if removal.masks else graph


@dataclass(frozen=True, eq=False)
class Removal:
    """Masks of the removable channels (last axis) and their values, by tensor, where there are any."""

    masks: Mapping[str, Mask]
    values: Mapping[str, Array]

    def count(self) -> int:
        return sum(int(mask.sum()) for mask in self.masks.values())


def find(graph: Graph) -> Removal:
    """Which channels can go."""
    search = _Search(graph, propagate(graph))
    search.settle()
    masks = {name: mask for name, mask in search.masks.items() if mask.any()}
    return Removal(masks=masks, values={name: search.values[name] for name in masks})


class _Search:
    """Shrinks the set of candidates until every operator can do without what is left of it."""

    def __init__(self, graph: Graph, intervals: Mapping[str, Interval]) -> None:
        self.graph = graph
        self.masks: dict[str, Mask] = {}
        self.values: dict[str, Array] = {}
        for name, tensor in graph.tensors.items():
            if tensor.data is None and not tensor.state and tensor.dtype is DType.INT8 and tensor.shape:
                self.masks[name], self.values[name] = _uniform(tensor, intervals.get(name))
        for name in (*graph.inputs, *graph.outputs):
            if name in self.masks:
                self.masks[name] = np.zeros_like(self.masks[name])

    def settle(self) -> None:
        while self._shrink() or self._keep_one():
            pass

    def _shrink(self) -> bool:
        before = sum(int(mask.sum()) for mask in self.masks.values())
        for node in self.graph.nodes:
            self._constrain(NodeView.of(self.graph, node), ops.get(node.op))
        return sum(int(mask.sum()) for mask in self.masks.values()) < before

    def _keep_one(self) -> bool:
        """No tensor may lose its last channel."""
        empty = [name for name, mask in self.masks.items() if mask.size and mask.all()]
        for name in empty:
            self.masks[name][0] = False
        return bool(empty)

    def _constrain(self, view: NodeView, operator: Operator) -> None:
        computed = [t.name for t in view.inputs if t is not None and t.name in self.masks]
        sources = operator.channel_sources(view)
        if operator.mixes_channels and _is_dense(view):
            self._absorb(view)
        elif sources is not None and _aligned(view, self.masks):
            for name in computed:
                self._tie(name, view.outputs[0].name, sources)
        else:
            for name in (*computed, *view.node.outputs):
                if name in self.masks:
                    self.masks[name] = np.zeros_like(self.masks[name])

    def _absorb(self, view: NodeView) -> None:
        """A matrix product takes what its bias can hold."""
        name = view.input(0).name
        if name not in self.masks:
            return
        if _pads(view):
            self.masks[name] &= self.values[name] == _zero_point(view.input(0))
        if self.masks[name].any() and not _fits(folded_bias(view, self.masks[name], self.values[name])):
            self.masks[name] = np.zeros_like(self.masks[name])

    def _tie(self, source: str, target: str, sources: Array) -> None:
        """An input channel goes exactly when all output channels made from it go."""
        wanted = self.masks[source].copy()
        np.logical_and.at(wanted, sources, self.masks[target])
        self.masks[source] = wanted
        self.masks[target] &= wanted[sources]


def folded_bias(view: NodeView, mask: Mask, values: Array) -> Array:
    """The bias of a matrix product, int64 (out,), with the share of the removed input channels added."""
    weights = view.constant(1, "the weights").astype(np.int64)
    bias = view.optional(2)
    start = (
        np.zeros(weights.shape[0], np.int64)
        if bias is None
        else view.constant(2, "the bias").astype(np.int64)
    )
    removed = weights.reshape(weights.shape[0], -1, weights.shape[-1])[:, :, mask].sum(axis=1)
    share: Array = removed @ (values[mask].astype(np.int64) - _zero_point(view.input(0)))
    return start + share


def _uniform(tensor: Tensor, interval: Interval | None) -> tuple[Mask, Array]:
    """Which channels hold one value at every position, and that value."""
    channels = tensor.shape[-1]
    if interval is None:
        return np.zeros(channels, bool), np.zeros(channels, np.int8)
    low = interval.low.reshape(-1, channels)
    high = interval.high.reshape(-1, channels)
    return low.min(axis=0) == high.max(axis=0), low.min(axis=0)


def _is_dense(view: NodeView) -> bool:
    """One group, so that weights run over all input channels; int8 with constant weights."""
    weights = view.inputs[1]
    x = view.inputs[0]
    return (
        x is not None
        and weights is not None
        and weights.constant
        and x.dtype is DType.INT8
        and x.shape[-1] == weights.shape[-1]
    )


def _aligned(view: NodeView, masks: Mapping[str, Mask]) -> bool:
    """All computed inputs have the same channels and the constants that run over them can be cut."""
    computed = [tensor for tensor in view.inputs if tensor is not None and tensor.name in masks]
    return len(view.outputs) == 1 and len({tensor.shape[-1] for tensor in computed}) == 1


def _pads(view: NodeView) -> bool:
    padding = getattr(view.node.attributes, "padding", None)
    return padding is not None and any(sum(pair) for pair in padding.pairs)


def _fits(bias: Array) -> bool:
    return bool(bias.min() >= INT32_MIN and bias.max() <= INT32_MAX)


def _zero_point(tensor: Tensor) -> int:
    assert tensor.quantization is not None
    return tensor.quantization.zero_point


def _rewrite(graph: Graph, removal: Removal) -> Graph:
    tensors = {name: _cut(tensor, -1, removal.masks.get(name)) for name, tensor in graph.tensors.items()}
    nodes = []
    for node in graph.nodes:
        operator = ops.get(node.op)
        view = NodeView.of(graph, node)
        if operator.mixes_channels and _is_dense(view):
            node, changed = _cut_product(view, removal)
        else:
            node, changed = _cut_channelwise(view, operator, removal, tensors)
        tensors.update(changed)
        nodes.append(node)
    used = {name for node in nodes for name in (*node.inputs, *node.outputs)} | {
        *graph.inputs,
        *graph.outputs,
    }
    return graph.replace(
        tensors={n: t for n, t in tensors.items() if n in used or t.state}, nodes=tuple(nodes)
    )


def _cut_product(view: NodeView, removal: Removal) -> tuple[Node, dict[str, Tensor]]:
    """Weights without the removed outputs and inputs, and a bias that holds the latter's share.

    New constants carry the node's name, since other nodes may share the old ones.
    """
    gone_in = removal.masks.get(view.input(0).name)
    gone_out = removal.masks.get(view.outputs[0].name)
    if gone_in is None and gone_out is None:
        return view.node, {}
    weights = _cut(_cut(view.input(1), -1, gone_in), 0, gone_out)
    weights = weights.replace(name=f"{view.node.name}/kept/weights")
    bias = view.optional(2)
    if gone_in is not None:
        values = removal.values[view.input(0).name]
        bias = _bias_tensor(view, folded_bias(view, gone_in, values), bias)
    inputs = [view.node.inputs[0], weights.name]
    changed = {weights.name: weights}
    if bias is not None:
        bias = _cut(bias, 0, gone_out).replace(name=f"{view.node.name}/kept/bias")
        changed[bias.name] = bias
        inputs.append(bias.name)
    return view.node.replace(inputs=tuple(inputs)), changed


def _bias_tensor(view: NodeView, data: Array, old: Tensor | None) -> Tensor:
    qx, qw = view.input(0).quantization, view.input(1).quantization
    assert qx is not None and qw is not None
    scales = tuple(float(np.float32(qx.scale * scale)) for scale in qw.scales)
    quantization = Quantization(scales, (0,) * len(scales), None if len(scales) == 1 else 0)
    if old is not None:
        return old.replace(data=data.astype(np.int32))
    return Tensor(
        name=f"{view.node.name}/bias",
        shape=data.shape,
        dtype=DType.INT32,
        quantization=quantization,
        data=data.astype(np.int32),
    )


def _cut_channelwise(
    view: NodeView, operator: Operator, removal: Removal, tensors: Mapping[str, Tensor]
) -> tuple[Node, dict[str, Tensor]]:
    """Constants that run over the output's channels lose the removed ones."""
    gone = removal.masks.get(view.outputs[0].name) if view.outputs else None
    if gone is None:
        return view.node, {}
    changed: dict[str, Tensor] = {}
    inputs = list(view.node.inputs)
    for position, tensor in enumerate(view.inputs):
        if tensor is not None and tensor.constant and tensor.shape and tensor.shape[-1] == gone.size > 1:
            cut = _cut(tensor, -1, gone).replace(name=f"{view.node.name}/kept/{position}")
            changed[cut.name] = cut
            inputs[position] = cut.name
    node = view.node.replace(inputs=tuple(inputs))
    return operator.reshaped(node, tensors[view.outputs[0].name]), changed


def _cut(tensor: Tensor, axis: int, gone: Mask | None) -> Tensor:
    """A tensor without some slices of an axis, its per-channel scales cut along."""
    if gone is None or not gone.any():
        return tensor
    axis %= len(tensor.shape)
    shape = tuple(int((~gone).sum()) if i == axis else size for i, size in enumerate(tensor.shape))
    data = None if tensor.data is None else np.ascontiguousarray(np.compress(~gone, tensor.data, axis=axis))
    quantization = _cut_scales(tensor.quantization, axis, len(tensor.shape), gone)
    return tensor.replace(shape=shape, data=data, quantization=quantization)


def _cut_scales(quantization: Quantization | None, axis: int, rank: int, gone: Mask) -> Quantization | None:
    if quantization is None or len(quantization.scales) != gone.size or not quantization.per_channel:
        return quantization
    if quantization.axis is not None and quantization.axis % rank != axis:
        return quantization
    keep = np.flatnonzero(~gone)
    return Quantization(
        tuple(quantization.scales[i] for i in keep),
        tuple(quantization.zero_points[i] for i in keep),
        quantization.axis,
    )
