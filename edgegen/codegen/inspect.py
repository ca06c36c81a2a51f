"""What is in a .tflite file and how much of it edgegen can use, for files of any kind."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edgegen.codegen import ops
from edgegen.codegen.graph import Tensor
from edgegen.codegen.ops.base import NodeView
from edgegen.errors import ModelError
from edgegen.frontend.importers.tflite.convert import attempt, used_tensors
from edgegen.frontend.importers.tflite.file import File, FileOperator, FileTensor
from edgegen.frontend.importers.tflite.nodes import WITHOUT_NODE, make_node
from edgegen.frontend.importers.tflite.reader import read_bytes, read_file


@dataclass(frozen=True)
class InspectedTensor:
    """A tensor of the file; `type` is the schema's name in small letters."""

    index: int
    name: str
    shape: tuple[int, ...]
    type: str
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    constant: bool


@dataclass(frozen=True)
class InspectedOperator:
    """An operator with its tensors; absent inputs are None.

    `macs` is None where nothing knows the operator; `problem` says why it cannot be used, if so.
    `parameters` counts elements of constants that no earlier operator has.
    """

    index: int
    name: str
    inputs: tuple[InspectedTensor | None, ...]
    outputs: tuple[InspectedTensor, ...]
    macs: int | None
    parameters: int
    problem: str | None


@dataclass(frozen=True)
class Inspection:
    """The file as a whole. `problems` is empty exactly when edgegen can use the model."""

    name: str
    file_bytes: int
    description: str
    subgraphs: int
    signatures: tuple[str, ...]
    inputs: tuple[InspectedTensor, ...]
    outputs: tuple[InspectedTensor, ...]
    operators: tuple[InspectedOperator, ...]
    macs: int
    parameters: int
    parameter_bytes: int
    problems: tuple[str, ...]


def inspect_tflite(path: Path) -> Inspection:
    """Everything of the main subgraph. Raises ModelError only for a file that cannot be read as .tflite."""
    data = read_bytes(path)
    file = read_file(data)
    main = file.main
    _, found = attempt(file, name=path.stem)
    operators = _operators(file)
    used = [main.tensors[index] for index in main.used()]
    constants = {tensor.buffer: tensor for tensor in used if tensor.data is not None}
    return Inspection(
        name=path.stem,
        file_bytes=len(data),
        description=file.description,
        subgraphs=len(file.subgraphs),
        signatures=tuple(signature.key for signature in file.signatures),
        inputs=tuple(_tensor(main.tensors[index]) for index in main.inputs),
        outputs=tuple(_tensor(main.tensors[index]) for index in main.outputs),
        operators=operators,
        macs=sum(operator.macs or 0 for operator in operators),
        parameters=sum(operator.parameters for operator in operators),
        parameter_bytes=sum(len(tensor.data or b"") for tensor in constants.values()),
        problems=tuple(found),
    )


def as_json(inspection: Inspection) -> str:
    """The inspection as JSON, indented, with the field names of the dataclasses; a scale of NaN is null."""
    return json.dumps(_plain(dataclasses.asdict(inspection)), indent=2, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    """Without the numbers that JSON cannot say."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _operators(file: File) -> tuple[InspectedOperator, ...]:
    tensors = used_tensors(file, [])
    counted: set[int] = set()
    made = []
    for operator in file.main.operators:
        given = [file.main.tensors[index] for index in operator.inputs if index is not None]
        fresh = {tensor.buffer: tensor for tensor in given if tensor.data is not None}
        parameters = sum(math.prod(t.shape) for buffer, t in fresh.items() if buffer not in counted)
        counted.update(fresh)
        macs, problem = _examined(operator, tensors)
        made.append(_operator(file, operator, macs=macs, parameters=parameters, problem=problem))
    return tuple(made)


def _operator(
    file: File, operator: FileOperator, *, macs: int | None, parameters: int, problem: str | None
) -> InspectedOperator:
    all_tensors = file.main.tensors
    return InspectedOperator(
        index=operator.index,
        name=operator.code,
        inputs=tuple(None if index is None else _tensor(all_tensors[index]) for index in operator.inputs),
        outputs=tuple(_tensor(all_tensors[index]) for index in operator.outputs),
        macs=macs,
        parameters=parameters,
        problem=problem,
    )


def _examined(operator: FileOperator, tensors: Mapping[int, Tensor]) -> tuple[int | None, str | None]:
    """Multiply-accumulates, and what is wrong with the operator by itself."""
    if operator.code in WITHOUT_NODE:
        return 0, None
    if operator.code not in ops.by_tflite_name():
        return None, "not supported"
    indices = [index for index in (*operator.inputs, *operator.outputs) if index is not None]
    if any(index not in tensors for index in indices):
        return None, "one of its tensors is not supported"
    try:
        node = make_node(operator, tensors)
    except ModelError as error:
        return None, str(error)
    inputs = tuple(None if index is None else tensors[index] for index in operator.inputs)
    view = NodeView(node=node, inputs=inputs, outputs=tuple(tensors[index] for index in operator.outputs))
    return ops.get(node.op).macs(view), None


def _tensor(tensor: FileTensor) -> InspectedTensor:
    quantization = tensor.quantization
    return InspectedTensor(
        index=tensor.index,
        name=tensor.name,
        shape=tensor.shape,
        type=tensor.kind.lower(),
        scales=() if quantization is None else quantization.scales,
        zero_points=() if quantization is None else quantization.zero_points,
        constant=tensor.data is not None,
    )
