"""Operators of a .tflite file -> nodes of a graph, or everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import flatbuffers
import tflite

from edgegen.codegen import ops
from edgegen.codegen.export.tables import table
from edgegen.codegen.graph import DType, Node, Tensor
from edgegen.codegen.ops.base import NodeView, Operator, TensorType
from edgegen.errors import ModelError
from edgegen.frontend.importers.tflite.file import File, FileOperator, FileSubgraph
from edgegen.frontend.importers.tflite.variables import HANDLE, ONCE

WITHOUT_NODE = frozenset({HANDLE, ONCE})
"""Operators that say where variables are and how they start."""
_WEIGHTED = frozenset(
    {
        "CONV_2D",
        "DEPTHWISE_CONV_2D",
        "TRANSPOSE_CONV",
        "FULLY_CONNECTED",
        "BATCH_MATMUL",
        "SVDF",
        "UNIDIRECTIONAL_SEQUENCE_LSTM",
    }
)
_SHOWN = 8
"""How many positions a message lists."""


def unsupported(file: File) -> list[str]:
    """What no operator of edgegen does, each with the way out."""
    return [*_unknown(file.main), *_hybrid(file.main)]


def _unknown(subgraph: FileSubgraph) -> list[str]:
    places: dict[str, list[int]] = {}
    for operator in subgraph.operators:
        if operator.code not in WITHOUT_NODE and operator.code not in ops.by_tflite_name():
            places.setdefault(operator.code, []).append(operator.index)
    return [f"operator {code} ({_positions(where)}): {_way_out(code)}" for code, where in places.items()]


def _positions(places: Sequence[int]) -> str:
    listed = ", ".join(str(place) for place in places[:_SHOWN])
    more = f" and {len(places) - _SHOWN} more" if len(places) > _SHOWN else ""
    return f"{'once' if len(places) == 1 else f'{len(places)} times'}, at {listed}{more}"


def _way_out(code: str) -> str:
    if code.startswith("custom 'Flex"):
        return (
            "it needs TensorFlow itself; convert with supported_ops = [TFLITE_BUILTINS_INT8], without "
            "SELECT_TF_OPS, and rewrite the layer that then fails"
        )
    if code.startswith("custom '"):
        return "its meaning is not in the file; express the layer in builtin operators and convert again"
    if code.startswith("builtin "):
        return "it is newer than the schema known here"
    return "not supported; express the layer in supported operators and convert again"


def _hybrid(subgraph: FileSubgraph) -> list[str]:
    """Dynamic-range models: float activations with integer weights."""
    places = [operator.index for operator in subgraph.operators if _is_hybrid(subgraph, operator)]
    if not places:
        return []
    return [
        f"float activations with integer weights ({_positions(places)}): a dynamic-range model computes in "
        "float on the device; convert it with a representative_dataset to int8, or without `optimizations` "
        "to float and let edgegen quantise it"
    ]


def _is_hybrid(subgraph: FileSubgraph, operator: FileOperator) -> bool:
    tensors = [subgraph.tensors[index] for index in operator.inputs if index is not None]
    weights = any(t.data is not None and t.kind in ("INT8", "UINT8", "INT4") for t in tensors)
    floats = any(t.data is None and t.kind == "FLOAT32" for t in tensors)
    return operator.code in _WEIGHTED and weights and floats


def order_problems(subgraph: FileSubgraph, given: Iterable[int]) -> list[str]:
    """Tensors that are read before they exist, computed twice, or that nothing computes.

    `given` are the tensors that exist from the start: inputs, constants, state.
    """
    found: list[str] = []
    producers = {index: op.index for op in subgraph.operators for index in op.outputs}
    known = set(given)
    for operator in subgraph.operators:
        for index in operator.inputs:
            if index is not None and index not in known:
                found.append(f"{operator.describe()} reads {_late(subgraph, index, producers)}")
        for index in operator.outputs:
            if index in known:
                what = subgraph.tensors[index].describe()
                found.append(f"{operator.describe()} writes {what}, which already has a value")
        known.update(operator.outputs)
    for index in subgraph.outputs:
        if index not in known:
            found.append(f"output {subgraph.tensors[index].describe()} is never computed")
    return found


def _late(subgraph: FileSubgraph, index: int, producers: Mapping[int, int]) -> str:
    what = subgraph.tensors[index].describe()
    if index not in producers:
        return f"{what}, which nothing computes"
    return (
        f"{what}, which operator {producers[index]} computes only later: not in execution order, or a cycle"
    )


def make_node(operator: FileOperator, tensors: Mapping[int, Tensor]) -> Node:
    """The node, with its attributes read and its declared outputs checked. Raises ModelError."""
    kind = ops.by_tflite_name()[operator.code]
    outputs = tuple(tensors[index] for index in operator.outputs)
    inputs = tuple(None if index is None else tensors[index] for index in operator.inputs)
    node = Node(
        name=outputs[0].name if outputs else f"{kind.name}_{operator.index}",
        op=kind.name,
        inputs=tuple(None if item is None else item.name for item in inputs),
        outputs=tuple(item.name for item in outputs),
        attributes=kind.attributes(),
        source=f"operator {operator.index}",
    )
    view = NodeView(node=node, inputs=inputs, outputs=outputs)
    try:
        return _understood(operator, kind, view)
    except ModelError:
        raise
    except Exception as error:
        # options and constants of a broken file can be anything, so an operator may fail in any way on them
        raise view.error(
            f"its options or constants make no sense ({type(error).__name__}: {error})"
        ) from error


def _understood(operator: FileOperator, kind: Operator, view: NodeView) -> Node:
    _check_states(kind, view)
    node = view.node.replace(attributes=kind.read_options(_options(operator, kind), view))
    view = NodeView(node=node, inputs=view.inputs, outputs=view.outputs)
    computed = kind.infer(view)
    declared = tuple(TensorType(item.shape, item.dtype) for item in view.outputs)
    if computed != declared:
        raise view.error(f"computes {_types(computed)}, the file declares {_types(declared)}")
    return node


def _check_states(kind: Operator, view: NodeView) -> None:
    for position in kind.writes:
        tensor = view.optional(position)
        if tensor is not None and not tensor.state:
            raise view.error(f"changes input {position}, {tensor.describe()}, which is no variable")


def _types(types: Sequence[TensorType]) -> str:
    return ", ".join(f"{item.dtype.value}{list(item.shape)}" for item in types) or "nothing"


def _options(operator: FileOperator, kind: Operator) -> Any:
    """A reader of the options; where the file has none or others, one with the schema's defaults."""
    if kind.tflite_options is None or operator.options_table == kind.tflite_options:
        return operator.options
    builder = flatbuffers.Builder(32)
    builder.Finish(table(builder, kind.tflite_options, {}).value)
    return getattr(tflite, kind.tflite_options).GetRootAs(bytes(builder.Output()), 0)


def integer_problems(view: NodeView) -> str | None:
    """Why a node of an integer graph cannot be computed in integers; None if it can."""
    try:
        ops.get(view.node.op).prepare(view)
    except ModelError as error:
        return str(error)
    except Exception as error:
        return str(view.error(f"its numbers make no sense ({type(error).__name__}: {error})"))
    return None


def is_integer(tensors: Iterable[Tensor]) -> bool:
    """Whether these are the tensors of a quantised model: activations that carry a scale."""
    quantized = (DType.INT8, DType.INT16, DType.UINT8)
    return any(
        item.dtype in quantized and item.quantization is not None and not item.constant for item in tensors
    )
