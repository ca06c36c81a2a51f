"""The .tflite form of a graph: what the file can say, before it is written.

A file knows only "same" and "valid" paddings, keeps variables behind resource handles, and starts other
state at its zero point; this module finds the equivalent of each node in those terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import flatbuffers
import numpy as np
import tflite

from edgegen.codegen import ops
from edgegen.codegen.export.tables import table
from edgegen.codegen.graph import Array, DType, Graph, Node, Quantization, Tensor
from edgegen.codegen.ops.base import NodeView, Operator
from edgegen.codegen.ops.common import Padding
from edgegen.errors import ModelError, problems

VARIABLE_OPERATORS = frozenset({"READ_VARIABLE", "ASSIGN_VARIABLE"})
PADDED_WITH_ZERO_POINT = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D"})
PADDED_WITH_LOWEST = frozenset({"MAX_POOL_2D"})


@dataclass(frozen=True)
class FormOperator:
    """One operator of the file. `options` has the schema's field names."""

    code: str
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]
    options_table: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class FormSubgraph:
    """Tensors by name, in the order of their indices. `resources` are handles of variables."""

    name: str
    tensors: Mapping[str, Tensor]
    operators: tuple[FormOperator, ...]
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()

    @property
    def indices(self) -> dict[str, int]:
        return {name: index for index, name in enumerate((*self.tensors, *self.resources))}


def subgraphs(graph: Graph) -> tuple[FormSubgraph, ...]:
    """The file's subgraphs: the graph itself, and one that sets variables if any starts at another value."""
    variables = _variables(graph)
    _check_states(graph, variables)
    tensors = {name: graph.tensors[name] for name in _used(graph) if name not in variables}
    operators = _operators(graph, tensors)
    handles = [_handle(name) for name in variables]
    initial = _initial_values(graph, variables)
    once = [] if initial is None else [FormOperator("CALL_ONCE", (), (), "CallOnceOptions", _SECOND_SUBGRAPH)]
    main = FormSubgraph(
        name="main",
        tensors=tensors,
        operators=(*once, *handles, *operators),
        inputs=graph.inputs,
        outputs=graph.outputs,
        resources=variables,
    )
    return (main,) if initial is None else (main, initial)


_SECOND_SUBGRAPH = {"InitSubgraphIndex": 1}


def _operators(graph: Graph, tensors: dict[str, Tensor]) -> list[FormOperator]:
    """The operators of all nodes; tensors that only the file has are added to `tensors`."""
    operators: list[FormOperator] = []
    found: list[str] = []
    for node in graph.nodes:
        try:
            made, extra = _node(graph, node)
        except ModelError as error:
            found.append(str(error))
            continue
        operators.extend(made)
        tensors.update(extra)
    if found:
        raise ModelError(problems(f"model '{graph.name}' cannot be written as .tflite:", found))
    return operators


def _used(graph: Graph) -> list[str]:
    """Names of the tensors that anything refers to, in the order of the graph."""
    named = {*graph.inputs, *graph.outputs}
    for node in graph.nodes:
        named.update(name for name in (*node.inputs, *node.outputs) if name is not None)
    return [name for name in graph.tensors if name in named]


def _variables(graph: Graph) -> tuple[str, ...]:
    """State tensors that the file keeps as resource variables, in order of use."""
    found: dict[str, None] = {}
    for node in graph.nodes:
        if ops.get(node.op).tflite in VARIABLE_OPERATORS:
            name = node.inputs[0]
            assert name is not None
            found[name] = None
    return tuple(found)


def _check_states(graph: Graph, variables: tuple[str, ...]) -> None:
    """State that is no variable begins at its zero point in a .tflite, whatever the graph says."""
    found = []
    for tensor in graph.states():
        if tensor.name not in variables and not _at_rest(tensor, tensor):
            found.append(f"state {tensor.describe()} starts at other values than {rest_value(tensor)}")
    if found:
        raise ModelError(problems(f"model '{graph.name}' cannot be written as .tflite:", found))


def rest_value(tensor: Tensor) -> int:
    """What TFLM's reset writes into state that nothing else sets: the zero point of int8, else 0."""
    if tensor.dtype is DType.INT8 and tensor.quantization is not None:
        return tensor.quantization.zero_point
    return 0


def _at_rest(tensor: Tensor, like: Tensor) -> bool:
    """Whether state starts where a reset puts it, which goes by the type and zero point of `like`."""
    return tensor.data is None or bool(np.all(tensor.data == rest_value(like)))


def _handle(variable: str) -> FormOperator:
    options = {"Container": "", "SharedName": variable}
    return FormOperator("VAR_HANDLE", (), (variable,), "VarHandleOptions", options)


def _assigned(graph: Graph, variable: str) -> Tensor | None:
    """The first value that the graph assigns to a variable: TFLM resets the variable to its zero point."""
    for node in graph.consumers(variable):
        if ops.get(node.op).tflite == "ASSIGN_VARIABLE" and node.inputs[1] is not None:
            return graph.tensors[node.inputs[1]]
    return None


def _initial_values(graph: Graph, variables: tuple[str, ...]) -> FormSubgraph | None:
    """A subgraph for CALL_ONCE that assigns the reset values; None when they need none."""
    tensors: dict[str, Tensor] = {}
    operators: list[FormOperator] = []
    for name in variables:
        tensor, assigned = graph.tensors[name], _assigned(graph, name)
        if assigned is None or not _at_rest(tensor, assigned):
            value = tensor.replace(name=f"{name}/reset", state=False)
            tensors[value.name] = value
            operators.append(_handle(name))
            operators.append(FormOperator("ASSIGN_VARIABLE", (name, value.name), (), "AssignVariableOptions"))
    if not operators:
        return None
    resources = tuple(operator.outputs[0] for operator in operators if operator.code == "VAR_HANDLE")
    return FormSubgraph("reset", tensors, tuple(operators), resources=resources)


def _node(graph: Graph, node: Node) -> tuple[list[FormOperator], dict[str, Tensor]]:
    """The operators that do a node, and tensors that only the file has."""
    view, operator = NodeView.of(graph, node), ops.get(node.op)
    if operator.tflite is None:
        raise view.error("has no .tflite form")
    before: list[FormOperator] = []
    extra = _bias_with_scale(view, operator)
    if not _expressible(view, operator):
        before, view, padded = _padded_beforehand(view, operator)
        extra |= padded
    options = operator.write_options(view)
    made = FormOperator(
        operator.tflite, view.node.inputs, view.node.outputs, operator.tflite_options, dict(options)
    )
    return [*before, made], extra


def _bias_with_scale(view: NodeView, operator: Operator) -> dict[str, Tensor]:
    """The bias with the scale that the file's readers check: input scale times weight scale."""
    x, weights, bias = view.optional(0), view.optional(1), view.optional(2)
    if not operator.mixes_channels or x is None or weights is None or bias is None:
        return {}
    if bias.quantization is not None or x.quantization is None or weights.quantization is None:
        return {}
    scales = tuple(
        float(np.float32(x.quantization.scale) * np.float32(s)) for s in weights.quantization.scales
    )
    axis = 0 if len(scales) > 1 else None
    return {bias.name: bias.replace(quantization=Quantization(scales, (0,) * len(scales), axis))}


def _expressible(view: NodeView, operator: Operator) -> bool:
    """Whether the options table gives back the node's padding."""
    padding = getattr(view.node.attributes, "padding", None)
    if not isinstance(padding, Padding) or operator.tflite_options is None:
        return True
    back = operator.read_options(_reader(operator.tflite_options, operator.write_options(view)), view)
    return getattr(back, "padding", None) == padding


def _reader(name: str, fields: Mapping[str, object]) -> Any:
    """An options table as a reader gets it."""
    builder = flatbuffers.Builder(64)
    builder.Finish(table(builder, name, fields).value)
    return getattr(tflite, name).GetRootAs(bytes(builder.Output()), 0)


def _padded_beforehand(
    view: NodeView, operator: Operator
) -> tuple[list[FormOperator], NodeView, dict[str, Tensor]]:
    """The node on an input that an operator of its own has padded, where that means the same."""
    x, attributes = view.input(0), view.node.attributes
    padding: Padding = getattr(attributes, "padding", Padding())
    name = f"{view.node.name}/padded"
    pairs = np.array([(0, 0), *padding.pairs, (0, 0)], dtype=np.int32)
    shape = tuple(size + int(sum(pair)) for size, pair in zip(x.shape, pairs, strict=True))
    amounts = _constant(f"{name}/paddings", pairs)
    padded = x.replace(name=name, shape=shape, data=None, state=False)
    extra = {amounts.name: amounts, name: padded}
    if operator.tflite in PADDED_WITH_ZERO_POINT:
        pad = FormOperator("PAD", (x.name, amounts.name), (name,), "PadOptions")
    elif operator.tflite in PADDED_WITH_LOWEST:
        lowest = _lowest(x, name)
        extra[lowest.name] = lowest
        pad = FormOperator("PADV2", (x.name, amounts.name, lowest.name), (name,), "PadV2Options")
    else:
        raise view.error(f"padding {padding} has no equivalent in a .tflite file")
    node = view.node.replace(
        inputs=(name, *view.node.inputs[1:]),
        attributes=replace(attributes, padding=Padding()),  # type: ignore[call-arg]
    )
    return [pad], NodeView(node=node, inputs=(padded, *view.inputs[1:]), outputs=view.outputs), extra


def _lowest(x: Tensor, name: str) -> Tensor:
    """The value that never wins a maximum."""
    kind: Any = x.dtype.numpy
    least = np.finfo(kind).min if kind.kind == "f" else np.iinfo(kind).min
    return _constant(f"{name}/value", np.array(least, dtype=kind)).replace(quantization=x.quantization)


def _constant(name: str, data: Array) -> Tensor:
    return Tensor(name=name, shape=data.shape, dtype=DType(data.dtype.name), data=data)
