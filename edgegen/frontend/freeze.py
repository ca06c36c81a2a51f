"""Freezing: from an eager module to a graph with static shapes and no Python in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from edgegen.codegen import ops
from edgegen.codegen.check import check_graph
from edgegen.codegen.graph import Array, Attributes, DType, Graph, Node
from edgegen.codegen.graph import Tensor as GraphTensor
from edgegen.codegen.ops.common import Padding
from edgegen.errors import ModelError, problems
from edgegen.frontend.nn import Module
from edgegen.frontend.tape import Record
from edgegen.frontend.tensor import Tensor
from edgegen.frontend.trace import Trace, trace


def freeze(module: Module, sample: Array, *, name: str) -> Graph:
    """The float graph of a module for a batch of one; `sample` is (1, ...).

    The module is traced twice, with different values: a constant that differs was computed from the input
    behind the tape's back, and is refused. Raises ModelError with all that cannot be frozen, by line.
    """
    sample = np.asarray(sample, np.float32)
    if sample.shape[:1] != (1,):
        raise ModelError(f"freezing takes a sample with a batch of 1, got the shape {list(sample.shape)}")
    _check_finite(module, name)
    first = _Freezer(trace(module, sample), name)
    graph = first.graph()
    other = sample[..., ::-1] * np.float32(0.5) + np.float32(0.25)
    _compare(graph, _Freezer(trace(module, np.ascontiguousarray(other)), name).graph())
    return check_graph(graph, after="freezing")


def _check_finite(module: Module, name: str) -> None:
    """Refuse weights that are not numbers before anything is computed with them."""
    found = [
        f"'{label}' holds {int((~np.isfinite(tensor.data)).sum())} NaN or infinite values"
        for label, tensor in (*module.named_parameters(), *module.named_buffers())
        if not np.isfinite(tensor.data).all()
    ]
    if found:
        raise ModelError(problems(f"the weights of '{name}' cannot be used:", found))


@dataclass(frozen=True)
class _UnsupportedError(Exception):
    reason: str


class _Freezer:
    """Turns the records of one trace into nodes."""

    def __init__(self, traced: Trace, name: str) -> None:
        self._trace = traced
        self._name = name
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        self._tensors: dict[str, GraphTensor] = {}
        self._nodes: list[Node] = []

    def graph(self) -> Graph:
        for tensor in self._trace.inputs:
            self._declare(tensor, tensor.name or "input")
        found = []
        for tensor in self._trace.tape.tensors:
            assert tensor.record is not None
            try:
                self._add(tensor, tensor.record)
            except (_UnsupportedError, ModelError) as problem:
                reason = problem.reason if isinstance(problem, _UnsupportedError) else str(problem)
                found.append(f"{tensor.record.op} at {tensor.record.source}: {reason}")
                self._declare(tensor, tensor.record.module or tensor.record.op)
        if found:
            raise ModelError(problems(f"the model '{self._name}' cannot be frozen:", found))
        return Graph.build(
            name=self._name,
            tensors=self._tensors.values(),
            nodes=self._nodes,
            inputs=[self._names[id(t)] for t in self._trace.inputs],
            outputs=[self._of(t) for t in self._trace.outputs],
        )

    def _add(self, result: Tensor, record: Record) -> None:
        if record.op == "identity":
            self._names[id(result)] = self._of(record.inputs[0])
            return
        form = FORMS.get(record.op, _plain)(self, record)
        operator = ops.registry().get(form.op)
        if operator is None:
            raise _UnsupportedError("there is no such operator on a device; express it by supported ones")
        label = self._unique(record.module or record.op)
        output = self._declare(result, label)
        self._nodes.append(
            Node(
                name=label,
                op=form.op,
                inputs=form.inputs,
                outputs=(output,),
                attributes=form.attributes,
                source=str(record.source),
            )
        )

    def _declare(self, tensor: Tensor, label: str) -> str:
        name = self._unique(label) if label in self._tensors else label
        self._names[id(tensor)] = name
        self._taken.add(name)
        self._tensors[name] = GraphTensor(name, tuple(tensor.shape), _dtype(tensor.data))
        return name

    def _of(self, tensor: Tensor) -> str:
        """The graph's name of a traced tensor; parameters and captured values become constants."""
        if id(tensor) not in self._names:
            self._names[id(tensor)] = self.constant(
                self._trace.name_of(tensor) or tensor.name or "constant", np.asarray(tensor.data)
            )
        return self._names[id(tensor)]

    def constant(self, label: str, data: Array) -> str:
        if data.dtype.kind == "f":
            if not np.isfinite(data).all():
                raise _UnsupportedError(f"'{label}' holds NaN or infinite values")
            data = data.astype(np.float32)
        name = self._unique(label)
        self._tensors[name] = GraphTensor(name, data.shape, _dtype(data), None, np.array(data))
        self._taken.add(name)
        return name

    def _unique(self, label: str) -> str:
        name, number = label, 2
        while name in self._taken:
            name, number = f"{label}_{number}", number + 1
        self._taken.add(name)
        return name


@dataclass(frozen=True)
class _Form:
    """A record as a node: operator, input names, attributes."""

    op: str
    inputs: tuple[str | None, ...]
    attributes: Attributes


def _plain(freezer: _Freezer, record: Record) -> _Form:
    """An operator whose attributes are called in the graph as on the tape."""
    operator = ops.registry().get(record.op)
    if operator is None:
        raise _UnsupportedError("there is no such operator on a device; express it by supported ones")
    known = {field.name for field in fields(operator.attributes)}
    unknown = sorted(record.attrs.keys() - known)
    if unknown:
        raise _UnsupportedError(f"its attributes {', '.join(unknown)} have no form on a device")
    inputs = tuple(freezer._of(tensor) for tensor in record.inputs)
    return _Form(record.op, inputs, operator.attributes(**record.attrs))


def _padding(attrs: Mapping[str, Any]) -> Padding:
    (top, bottom), (left, right) = attrs["padding"]
    return Padding(top=top, bottom=bottom, left=left, right=right)


def _conv2d(freezer: _Freezer, record: Record) -> _Form:
    """A convolution with a group for each channel is a depthwise one, with weights (1, kh, kw, out)."""
    attrs = record.attrs
    channels = record.inputs[0].shape[-1]
    depthwise = channels > 1 and attrs["groups"] == channels
    op = "depthwise_conv2d" if depthwise else "conv2d"
    attributes = ops.get(op).attributes(
        stride=attrs["stride"], dilation=attrs["dilation"], padding=_padding(attrs)
    )  # type: ignore[call-arg]
    inputs = [freezer._of(tensor) for tensor in record.inputs]
    if depthwise:
        weights = np.asarray(record.inputs[1].data)[..., 0].transpose(1, 2, 0)[np.newaxis]
        label = freezer._trace.name_of(record.inputs[1]) or "weight"
        inputs[1] = freezer.constant(f"{label}/depthwise", np.ascontiguousarray(weights))
    return _Form(op, tuple(inputs), attributes)


def _pool(freezer: _Freezer, record: Record) -> _Form:
    attrs = record.attrs
    attributes = ops.get(record.op).attributes(
        size=attrs["size"], stride=attrs["stride"], padding=_padding(attrs)
    )  # type: ignore[call-arg]
    return _Form(record.op, (freezer._of(record.inputs[0]),), attributes)


def _reduction(freezer: _Freezer, record: Record) -> _Form:
    attrs = record.attrs
    axes: Any = attrs["axes"]
    constant = freezer.constant(f"{record.module or record.op}/axes", np.array(axes, np.int32).reshape(-1))
    attributes = ops.get(record.op).attributes(keep_dims=bool(attrs["keepdims"]))  # type: ignore[call-arg]
    return _Form(record.op, (freezer._of(record.inputs[0]), constant), attributes)


def _batch_norm(freezer: _Freezer, record: Record) -> _Form:
    """At inference a scale and a shift of each channel: a depthwise convolution of one tap."""
    x, gamma, beta, mean, variance = record.inputs
    if len(x.shape) != 4:
        raise _UnsupportedError(f"takes (batch, h, w, c) on a device, got {list(x.shape)}")
    arrays = [np.asarray(t.data, np.float64).reshape(-1) for t in (gamma, beta, mean, variance)]
    if not all(np.isfinite(array).all() for array in arrays):
        raise _UnsupportedError("its parameters or statistics hold NaN or infinite values")
    epsilon: Any = record.attrs["epsilon"]
    factor = arrays[0] / np.sqrt(arrays[3] + float(epsilon))
    label = record.module or record.op
    inputs = (
        freezer._of(x),
        freezer.constant(f"{label}/scale", factor.astype(np.float32).reshape(1, 1, 1, -1)),
        freezer.constant(f"{label}/shift", (arrays[1] - arrays[2] * factor).astype(np.float32)),
    )
    return _Form("depthwise_conv2d", inputs, ops.get("depthwise_conv2d").attributes())


def _pad(freezer: _Freezer, record: Record) -> _Form:
    amounts = freezer.constant(
        f"{record.module or record.op}/paddings", np.array(record.attrs["paddings"], np.int32)
    )
    return _Form("pad", (freezer._of(record.inputs[0]), amounts), ops.get("pad").attributes())


def _transpose(freezer: _Freezer, record: Record) -> _Form:
    order = freezer.constant(f"{record.module or record.op}/order", np.array(record.attrs["perm"], np.int32))
    return _Form("transpose", (freezer._of(record.inputs[0]), order), ops.get("transpose").attributes())


def _strided_slice(freezer: _Freezer, record: Record) -> _Form:
    """Ranges as constants; one that runs backwards through element 0 has no end to name."""
    attrs: Mapping[str, Any] = record.attrs
    label = record.module or record.op
    constants = [
        freezer.constant(f"{label}/{what}", np.array(attrs[what], np.int32))
        for what in ("begin", "end", "strides")
    ]
    attributes = ops.get("strided_slice").attributes(
        end_mask=sum(1 << axis for axis, end in enumerate(attrs["end"]) if end < 0),
        shrink_axis_mask=sum(1 << axis for axis in attrs["shrink_axes"]),
    )  # type: ignore[call-arg]
    return _Form("strided_slice", (freezer._of(record.inputs[0]), *constants), attributes)


def _linear(freezer: _Freezer, record: Record) -> _Form:
    """Rows of any number of axes keep them."""
    inputs = tuple(freezer._of(tensor) for tensor in record.inputs)
    attributes = ops.get("fully_connected").attributes(keep_dims=record.inputs[0].ndim > 2)  # type: ignore[call-arg]
    return _Form("fully_connected", inputs, attributes)


def _matmul(freezer: _Freezer, record: Record) -> _Form:
    inputs = tuple(freezer._of(tensor) for tensor in record.inputs)
    return _Form("batch_matmul", inputs, ops.get("batch_matmul").attributes())


def _upsample(freezer: _Freezer, record: Record) -> _Form:
    size = freezer.constant(f"{record.module or record.op}/size", np.array(record.attrs["size"], np.int32))
    inputs = freezer._of(record.inputs[0]), size
    if record.attrs["kind"] == "nearest":
        return _Form("resize_nearest_neighbor", inputs, ops.get("resize_nearest_neighbor").attributes())
    attributes = ops.get("resize_bilinear").attributes(half_pixel_centers=True)  # type: ignore[call-arg]
    return _Form("resize_bilinear", inputs, attributes)


def _conv_transpose2d(freezer: _Freezer, record: Record) -> _Form:
    """Weights become (out, kh, kw, in); the size of the output is an input of its own."""
    x, weight, *bias = record.inputs
    label = record.module or record.op
    padding = _padding(record.attrs)
    stride: Any = record.attrs["stride"]
    size = [
        (x.shape[axis + 1] - 1) * stride[axis] + weight.shape[axis + 1] - sum(padding.pairs[axis])
        for axis in (0, 1)
    ]
    shape = np.array([x.shape[0], *size, weight.shape[3]], np.int32)
    turned = np.ascontiguousarray(np.asarray(weight.data).transpose(3, 1, 2, 0))
    inputs = (
        freezer.constant(f"{label}/shape", shape),
        freezer.constant(f"{freezer._trace.name_of(weight) or 'weight'}/transposed", turned),
        freezer._of(x),
        *(freezer._of(tensor) for tensor in bias),
    )
    attributes = ops.get("transpose_conv").attributes(stride=stride, padding=padding)  # type: ignore[call-arg]
    return _Form("transpose_conv", inputs, attributes)


FORMS: Mapping[str, Callable[[_Freezer, Record], _Form]] = {
    "conv2d": _conv2d,
    "max_pool2d": _pool,
    "average_pool2d": _pool,
    "mean": _reduction,
    "sum": _reduction,
    "reduce_max": _reduction,
    "batch_norm": _batch_norm,
    "pad": _pad,
    "fully_connected": _linear,
    "matmul": _matmul,
    "upsample": _upsample,
    "conv_transpose2d": _conv_transpose2d,
    "transpose": _transpose,
    "strided_slice": _strided_slice,
}
"""Records whose node looks different; all others keep name and attributes."""


def _dtype(data: Any) -> DType:
    kind = np.asarray(data).dtype
    return DType.FLOAT32 if kind.kind == "f" else DType(kind.name)


def _compare(first: Graph, second: Graph) -> None:
    """Two traces of the same module must differ in nothing."""
    shape = [(node.op, node.inputs, node.attributes) for node in first.nodes]
    if shape != [(node.op, node.inputs, node.attributes) for node in second.nodes]:
        raise ModelError(f"the model '{first.name}' does different things for different inputs")
    for name, tensor in first.tensors.items():
        other = second.tensors[name]
        if tensor.data is not None and not np.array_equal(tensor.data, other.data):  # type: ignore[arg-type]
            users = ", ".join(f"{node.op} at {node.source}" for node in first.consumers(name))
            raise ModelError(
                f"the constant '{name}' of {users} depends on the input or is random: it was computed "
                "outside the tape; compute it by tensor operations"
            )
