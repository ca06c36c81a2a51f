"""Graph -> .tflite, so that other runtimes can load what edgegen makes, and check it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import flatbuffers
import numpy as np
import tflite

from edgegen.codegen.export.form import FormOperator, FormSubgraph, subgraphs
from edgegen.codegen.export.tables import Offset, table
from edgegen.codegen.graph import DType, Graph, Quantization, Tensor

SCHEMA_VERSION = 3
IDENTIFIER = b"TFL3"
DESCRIPTION = "edgegen"
SIGNATURE = "serving_default"

TYPES = MappingProxyType({dtype: getattr(tflite.TensorType, dtype.name) for dtype in DType})
"""Codes of `tflite.TensorType`, named as ours."""

_LAST_OLD_CODE = 127
"""Operators beyond this one do not fit the schema's first, one-byte code field."""


@dataclass(frozen=True)
class Exported:
    """The file's bytes, and at which index of the main subgraph each tensor of the graph is."""

    data: bytes
    indices: Mapping[str, int]


def write_tflite(graph: Graph) -> bytes:
    """The graph as a .tflite file. The same graph gives the same bytes.

    Raises ModelError for what the format cannot say: an operator without a .tflite form, average pooling
    with a padding that is neither "same" nor "valid", state that starts at other values than zero.
    """
    return export_tflite(graph).data


def export_tflite(graph: Graph) -> Exported:
    """`write_tflite` with the indices of the tensors."""
    parts = subgraphs(graph)
    names = {name: index for name, index in parts[0].indices.items() if name in graph.tensors}
    return Exported(data=write_form(parts), indices=MappingProxyType(names))


def write_form(parts: Sequence[FormSubgraph]) -> bytes:
    """The file of some subgraphs, taken as they are."""
    writer = _Writer(flatbuffers.Builder(1024), _operator_codes(parts))
    fields = {
        "Version": SCHEMA_VERSION,
        "Subgraphs": [writer.subgraph(part) for part in parts],
        "OperatorCodes": [writer.operator_code(code) for code in writer.codes],
        "Description": DESCRIPTION,
        "Buffers": writer.buffers,
        "SignatureDefs": [writer.signature(parts[0])],
    }
    model = table(writer.builder, "Model", fields)
    writer.builder.Finish(model.value, IDENTIFIER)
    return bytes(writer.builder.Output())


def _operator_codes(parts: Sequence[FormSubgraph]) -> tuple[str, ...]:
    """Operator names in order of first use."""
    return tuple(dict.fromkeys(operator.code for part in parts for operator in part.operators))


class _Writer:
    """Writes the tables of one file, collecting the buffers."""

    def __init__(self, builder: flatbuffers.Builder, codes: Sequence[str]) -> None:
        self.builder = builder
        self.codes = codes
        # buffer 0 is empty by convention: tensors without data refer to it
        self.buffers = [table(builder, "Buffer", {})]

    def subgraph(self, part: FormSubgraph) -> Offset:
        indices = part.indices
        tensors = [self.tensor(tensor) for tensor in part.tensors.values()]
        tensors += [self.resource(name) for name in part.resources]
        fields = {
            "Tensors": tensors,
            "Inputs": [indices[name] for name in part.inputs],
            "Outputs": [indices[name] for name in part.outputs],
            "Operators": [self.operator(operator, indices) for operator in part.operators],
            "Name": part.name,
        }
        return table(self.builder, "SubGraph", fields)

    def signature(self, part: FormSubgraph) -> Offset:
        """The names of inputs and outputs, by which LiteRT's users call a model."""
        indices = part.indices

        def named(names: Sequence[str]) -> list[Offset]:
            maps = [{"Name": name, "TensorIndex": indices[name]} for name in names]
            return [table(self.builder, "TensorMap", fields) for fields in maps]

        fields = {
            "Inputs": named(part.inputs),
            "Outputs": named(part.outputs),
            "SignatureKey": SIGNATURE,
            "SubgraphIndex": 0,
        }
        return table(self.builder, "SignatureDef", fields)

    def tensor(self, tensor: Tensor) -> Offset:
        quantization = None if tensor.quantization is None else self.quantization(tensor.quantization)
        fields = {
            "Shape": tensor.shape,
            "Type": TYPES[tensor.dtype],
            "Buffer": self.buffer(tensor),
            "Name": tensor.name,
            "Quantization": quantization,
            "IsVariable": tensor.state,
        }
        return table(self.builder, "Tensor", fields)

    def resource(self, name: str) -> Offset:
        """The handle of a variable; TFLM takes its value's shape from what is assigned."""
        fields = {"Shape": (), "Type": tflite.TensorType.RESOURCE, "Name": name}
        return table(self.builder, "Tensor", fields)

    def buffer(self, tensor: Tensor) -> int:
        """Index of the buffer with a constant's bytes; 0 for everything else."""
        if not tensor.constant or tensor.data is None:
            return 0
        little = tensor.data.astype(tensor.data.dtype.newbyteorder("<"), copy=False)
        self.buffers.append(table(self.builder, "Buffer", {"Data": little.tobytes()}))
        return len(self.buffers) - 1

    def quantization(self, quantization: Quantization) -> Offset:
        fields = {
            "Scale": np.array(quantization.scales, dtype=np.float32),
            "ZeroPoint": quantization.zero_points,
            "QuantizedDimension": quantization.axis or 0,
        }
        return table(self.builder, "QuantizationParameters", fields)

    def operator(self, operator: FormOperator, indices: Mapping[str, int]) -> Offset:
        fields: dict[str, object] = {
            "OpcodeIndex": self.codes.index(operator.code),
            "Inputs": [-1 if name is None else indices[name] for name in operator.inputs],
            "Outputs": [indices[name] for name in operator.outputs],
        }
        if operator.options_table is not None:
            union = _union(operator.options_table)
            kind = getattr(getattr(tflite, union), operator.options_table)
            fields[f"{union}Type"] = kind
            fields[union] = table(self.builder, operator.options_table, operator.options)
        return table(self.builder, "Operator", fields)

    def operator_code(self, name: str) -> Offset:
        code = getattr(tflite.BuiltinOperator, name)
        fields = {
            "DeprecatedBuiltinCode": min(code, _LAST_OLD_CODE),
            "BuiltinCode": code,
            "Version": 1,
        }
        return table(self.builder, "OperatorCode", fields)


def _union(options_table: str) -> str:
    """Which of the schema's two unions of options holds a table."""
    return "BuiltinOptions" if hasattr(tflite.BuiltinOptions, options_table) else "BuiltinOptions2"
