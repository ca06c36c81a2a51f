"""Bytes of a .tflite file -> `File`, with every index checked."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import tflite

from edgegen.codegen.export.layout import operator_code
from edgegen.errors import ModelError, UsageError
from edgegen.frontend.importers.tflite.file import (
    File,
    FileOperator,
    FileQuantization,
    FileSignature,
    FileSubgraph,
    FileTensor,
)
from edgegen.frontend.importers.tflite.verify import union_name, verify

MAX_FILE_BYTES = 1 << 30
"""Far beyond what a microcontroller or a gateway's sandbox takes."""
MAX_RANK = 8
MAX_TENSOR_BYTES = 1 << 31
"""Tensor sizes are 32-bit numbers in every runtime that reads these files."""
MAX_NAME = 256
SCHEMA_VERSION = 3

_HINTS = (
    (b"PK\x03\x04", "it is a zip archive; .keras, .pt2 and saved models must be converted to .tflite first"),
    (b"\x89HDF", "it is an HDF5 file; convert the Keras model to .tflite first"),
    (b"\x08", "it may be an ONNX file"),
)
_READ_ERRORS = (struct.error, IndexError, TypeError, ValueError, OverflowError, MemoryError)
"""What the generated readers raise on bytes that make no sense."""


def read_bytes(path: Path) -> bytes:
    """The contents of a model file; UsageError if it is not there, ModelError if it is too large."""
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise ModelError(f"{path}: {path.stat().st_size} bytes are too many; at most {MAX_FILE_BYTES}")
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None


def read_file(data: bytes) -> File:
    """Everything that the importer and the inspection need. Raises ModelError for a broken file."""
    if len(data) > MAX_FILE_BYTES:
        raise ModelError(f"{len(data)} bytes are too many for a model; at most {MAX_FILE_BYTES}")
    try:
        verify(data)
    except ModelError as error:
        raise ModelError(f"{error}{_hint(data)}") from None
    try:
        return _Reader(data).file()
    except _READ_ERRORS as error:
        raise ModelError(f"not a usable .tflite file: {error}") from error


def _hint(data: bytes) -> str:
    """What the file may be instead; the identifier is no criterion, since runtimes do not ask for it."""
    if data[4:8] == b"TFL3":
        return ""
    found = next((hint for magic, hint in _HINTS if data.startswith(magic)), "")
    return f" (it has no TFL3 mark{'; ' + found if found else ''})"


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.model = tflite.Model.GetRootAs(data, 0)
        self.buffers = self.model.BuffersLength()

    def file(self) -> File:
        model = self.model
        if model.Version() != SCHEMA_VERSION:
            raise ModelError(
                f"the file is of schema version {model.Version()}, expected {SCHEMA_VERSION}: "
                "re-export it with a converter of TensorFlow 2"
            )
        if model.SubgraphsLength() == 0:
            raise ModelError("the file holds no subgraph")
        subgraphs = tuple(self.subgraph(index) for index in range(model.SubgraphsLength()))
        signatures = [
            self.signature(model.SignatureDefs(index), subgraphs)
            for index in range(model.SignatureDefsLength())
        ]
        return File(
            size=len(self.data),
            description=text(model.Description()),
            subgraphs=subgraphs,
            signatures=tuple(signatures),
        )

    def subgraph(self, index: int) -> FileSubgraph:
        graph, where = self.model.Subgraphs(index), f"subgraph {index}"
        count = graph.TensorsLength()
        return FileSubgraph(
            index=index,
            name=text(graph.Name()),
            tensors=tuple(self.tensor(k, graph.Tensors(k), where) for k in range(count)),
            operators=tuple(
                self.operator(k, graph.Operators(k), count, where) for k in range(graph.OperatorsLength())
            ),
            inputs=_required(numbers(graph, "Inputs"), count, f"{where}, inputs"),
            outputs=_required(numbers(graph, "Outputs"), count, f"{where}, outputs"),
        )

    def tensor(self, index: int, tensor: Any, where: str) -> FileTensor:
        where = f"{where}, tensor {index}"
        return FileTensor(
            index=index,
            name=text(tensor.Name()),
            shape=_shape(numbers(tensor, "Shape"), where),
            kind=_TYPES.get(tensor.Type(), f"type {tensor.Type()}"),
            buffer=tensor.Buffer(),
            data=self.constant(tensor.Buffer(), where),
            quantization=_quantization(tensor.Quantization()),
            variable=tensor.IsVariable(),
            sparse=tensor.Sparsity() is not None,
        )

    def constant(self, index: int, where: str) -> memoryview | None:
        """The bytes of a buffer: in its vector, or in the file behind the flatbuffer."""
        if index >= self.buffers and not (index == 0 and self.buffers == 0):
            raise ModelError(f"{where} is in buffer {index}, of {self.buffers} buffers")
        if self.buffers == 0:
            return None
        buffer = self.model.Buffers(index)
        if buffer.Offset() > 1:
            start, size = buffer.Offset(), buffer.Size()
            if start + size > len(self.data):
                raise ModelError(
                    f"{where} is in {size} bytes at {start}, outside of the file of {len(self.data)}"
                )
            return memoryview(self.data)[start : start + size] if size else None
        if buffer.DataLength() == 0:
            return None
        return memoryview(buffer.DataAsNumpy()).cast("B")

    def operator(self, index: int, operator: Any, tensors: int, where: str) -> FileOperator:
        where = f"{where}, operator {index}"
        table, options = _options(operator)
        return FileOperator(
            index=index,
            code=self.code(operator.OpcodeIndex(), where),
            inputs=_optional(numbers(operator, "Inputs"), tensors, f"{where}, inputs"),
            outputs=_required(numbers(operator, "Outputs"), tensors, f"{where}, outputs"),
            options_table=table,
            options=options,
        )

    def code(self, index: int, where: str) -> str:
        if index >= self.model.OperatorCodesLength():
            raise ModelError(
                f"{where} has operator code {index}, of {self.model.OperatorCodesLength()} in the file"
            )
        code = self.model.OperatorCodes(index)
        number = operator_code(code)
        name = _CODES.get(number, f"builtin {number}")
        return f"custom '{text(code.CustomCode())}'" if name == "CUSTOM" else name

    def signature(self, signature: Any, subgraphs: tuple[FileSubgraph, ...]) -> FileSignature:
        key, index = text(signature.SignatureKey()), signature.SubgraphIndex()
        if index >= len(subgraphs):
            raise ModelError(f"signature '{key}' is of subgraph {index}, of {len(subgraphs)} in the file")
        count = len(subgraphs[index].tensors)

        def named(get: Callable[[int], Any], length: int) -> tuple[tuple[str, int], ...]:
            maps = [get(k) for k in range(length)]
            indices = [item.TensorIndex() for item in maps]
            _required(indices, count, f"signature '{key}'")
            return tuple((text(item.Name()), k) for item, k in zip(maps, indices, strict=True))

        return FileSignature(
            key=key,
            subgraph=index,
            inputs=named(signature.Inputs, signature.InputsLength()),
            outputs=named(signature.Outputs, signature.OutputsLength()),
        )


def text(value: bytes | None) -> str:
    """A name of the file, safe to print: one line, no control characters, not endless."""
    decoded = (value or b"")[: 4 * MAX_NAME].decode("utf-8", errors="replace")
    return "".join(c if c.isprintable() else "?" for c in decoded)[:MAX_NAME]


def numbers(table: Any, field: str) -> list[Any]:
    """A vector of numbers; empty when it is absent."""
    if getattr(table, f"{field}IsNone")():
        return []
    return list(getattr(table, f"{field}AsNumpy")().tolist())


def _names(enumeration: type) -> dict[int, str]:
    return {value: name for name, value in vars(enumeration).items() if not name.startswith("_")}


_TYPES = _names(tflite.TensorType)
_CODES = _names(tflite.BuiltinOperator)


def _optional(indices: Iterable[int], count: int, where: str) -> tuple[int | None, ...]:
    """Tensor indices of which -1 means absent."""
    given = list(indices)
    wrong = [index for index in given if not -1 <= index < count]
    if wrong:
        raise ModelError(f"{where}: there is no tensor {wrong[0]}, the subgraph has {count}")
    return tuple(None if index == -1 else index for index in given)


def _required(indices: Iterable[int], count: int, where: str) -> tuple[int, ...]:
    found = _optional(indices, count, where)
    if None in found:
        raise ModelError(f"{where}: a tensor is missing (index -1)")
    return tuple(index for index in found if index is not None)


def _shape(sizes: list[int], where: str) -> tuple[int, ...]:
    if len(sizes) > MAX_RANK:
        raise ModelError(f"{where} has {len(sizes)} dimensions; at most {MAX_RANK}")
    if any(size < 0 for size in sizes):
        raise ModelError(
            f"{where} has the shape {sizes}, of unknown size; convert the model with a fixed input shape"
        )
    elements = 1
    for size in sizes:
        elements *= max(size, 1)
    if elements >= MAX_TENSOR_BYTES:
        raise ModelError(f"{where} has the shape {sizes}, of more than {MAX_TENSOR_BYTES} elements")
    return tuple(sizes)


def _quantization(table: Any) -> FileQuantization | None:
    if table is None or table.ScaleIsNone() or table.ScaleLength() == 0:
        return None
    return FileQuantization(
        scales=tuple(numbers(table, "Scale")),
        zero_points=tuple(numbers(table, "ZeroPoint")),
        axis=table.QuantizedDimension(),
    )


def _options(operator: Any) -> tuple[str | None, Any]:
    """Name and reader of an operator's options, from whichever of the two unions holds them."""
    for union in ("BuiltinOptions", "BuiltinOptions2"):
        name = union_name(union, getattr(operator, f"{union}Type")())
        table = getattr(operator, union)()
        if name is not None and table is not None:
            reader = getattr(tflite, name)()
            reader.Init(table.Bytes, table.Pos)
            return name, reader
    return None, None
