"""Bounds of everything in a .tflite file, checked before the schema's readers touch it.

The generated readers follow any offset and loop over any length. After `verify` each table, vector and
string that this importer reads lies inside the file, and there are not too many of them.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import flatbuffers.number_types as numbers
import tflite

from edgegen.codegen.export.layout import Field, Kind, fields
from edgegen.errors import ModelError

MAX_TABLES = 100_000
"""A thousand operators need about ten thousand tables."""
MAX_ELEMENTS = 4_000_000
"""Numbers in vectors other than constants: shapes, indices, scales."""
_BYTES = frozenset({("Buffer", "Data"), ("Operator", "CustomOptions")})
"""Vectors of bytes that are not read number by number."""

_TABLES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("Model", "OperatorCodes"): "OperatorCode",
        ("Model", "Subgraphs"): "SubGraph",
        ("Model", "Buffers"): "Buffer",
        ("Model", "SignatureDefs"): "SignatureDef",
        ("SubGraph", "Tensors"): "Tensor",
        ("SubGraph", "Operators"): "Operator",
        ("Tensor", "Quantization"): "QuantizationParameters",
        ("SignatureDef", "Inputs"): "TensorMap",
        ("SignatureDef", "Outputs"): "TensorMap",
    }
)
"""Fields that hold a table or a vector of tables."""
_NOT_READ = frozenset(
    {
        ("Model", "Metadata"),
        ("Tensor", "Sparsity"),
        ("Tensor", "VariantTensors"),
        ("QuantizationParameters", "Details"),
    }
)
"""What the importer never opens; whether it is there is all that matters."""
_UNIONS = MappingProxyType({"BuiltinOptions": "BuiltinOptionsType", "BuiltinOptions2": "BuiltinOptions2Type"})


def union_name(union: str, code: int) -> str | None:
    """The options table that a union's type code means; None for none, and for codes newer than we know."""
    names = {value: name for name, value in vars(getattr(tflite, union)).items() if not name.startswith("_")}
    name = names.get(code)
    return None if name == "NONE" else name


def verify(data: bytes) -> None:
    """Check every offset and length. Raises ModelError that says where the file is broken."""
    _Verifier(data).root()


@dataclass
class _Verifier:
    data: bytes
    tables: int = field(default=0, init=False)
    elements: int = field(default=0, init=False)

    def root(self) -> None:
        self.table("Model", self.follow(0, "the root"), "Model")

    def error(self, where: str, text: str) -> ModelError:
        return ModelError(f"not a usable .tflite file of {len(self.data)} bytes: {where}: {text}")

    def inside(self, position: int, count: int, where: str) -> int:
        """`position` if `count` bytes from there are in the file."""
        if position < 0 or count < 0 or position + count > len(self.data):
            raise self.error(where, f"{count} bytes at {position} are outside of the file")
        return position

    def number(self, flags: Any, position: int, where: str) -> int:
        at = self.inside(position, flags.bytewidth, where)
        return int(flags.packer_type.unpack_from(self.data, at)[0])

    def follow(self, position: int, where: str) -> int:
        """Where the offset at `position` points."""
        offset = self.number(numbers.UOffsetTFlags, position, where)
        if offset == 0:
            raise self.error(where, "an offset of 0 points to itself")
        return self.inside(position + offset, 1, where)

    def table(self, name: str, position: int, where: str) -> None:
        self.tables += 1
        if self.tables > MAX_TABLES:
            raise self.error(where, f"more than {MAX_TABLES} tables, or tables that refer to each other")
        slots = self.slots(position, where)
        for key, item in fields(name).items():
            at = slots.get(item.slot)
            if at is not None and (name, key) not in _NOT_READ:
                self.field(name, item, self.inside(at, item.width, f"{where}.{key}"), f"{where}.{key}")
        for union, kind in _UNIONS.items() if name == "Operator" else ():
            self.union(slots, union, kind, where)

    def slots(self, position: int, where: str) -> Mapping[int, int]:
        """Positions of the fields that a table has, by slot."""
        vtable = position - self.number(numbers.SOffsetTFlags, position, where)
        width = numbers.VOffsetTFlags.bytewidth
        size = self.number(numbers.VOffsetTFlags, vtable, where)
        length = self.number(numbers.VOffsetTFlags, vtable + width, where)
        if size < 2 * width or size % width:
            raise self.error(where, f"a field list of {size} bytes")
        self.inside(vtable, size, where)
        self.inside(position, length, where)
        offsets = struct.unpack_from(f"<{size // width - 2}H", self.data, vtable + 2 * width)
        if any(offset >= length for offset in offsets if offset):
            raise self.error(where, f"a field outside of its table of {length} bytes")
        return {slot: position + offset for slot, offset in enumerate(offsets) if offset}

    def field(self, table: str, item: Field, position: int, where: str) -> None:
        if item.kind is Kind.SCALAR or item.name in _UNIONS:
            return
        target, child = self.follow(position, where), _TABLES.get((table, item.name))
        if item.kind is Kind.VECTOR:
            self.vector(table, item, target, child, where)
        elif child is not None:
            self.table(child, target, where)
        else:
            self.span(target, 1, where)

    def span(self, position: int, element: int, where: str) -> int:
        """The length of the vector or string at `position`."""
        count = self.number(numbers.UOffsetTFlags, position, where)
        self.inside(position + numbers.UOffsetTFlags.bytewidth, count * element, f"{where} of {count}")
        return count

    def vector(self, table: str, item: Field, position: int, child: str | None, where: str) -> None:
        count = self.span(position, item.element, where)
        if (table, item.name) not in _BYTES:
            self.elements += count
        if self.elements > MAX_ELEMENTS:
            raise self.error(where, f"more than {MAX_ELEMENTS} numbers, or vectors that share their bytes")
        if child is None:
            return
        for index in range(count):
            at = position + (index + 1) * numbers.UOffsetTFlags.bytewidth
            self.table(child, self.follow(at, f"{where}[{index}]"), f"{where}[{index}]")

    def union(self, slots: Mapping[int, int], union: str, kind: str, where: str) -> None:
        """The options of an operator, unless their type is one that nobody here reads."""
        layout = fields("Operator")
        code, at = slots.get(layout[kind].slot), slots.get(layout[union].slot)
        name = None if code is None else union_name(union, self.data[code])
        if name is not None and at is not None:
            self.table(name, self.follow(at, f"{where}.{union}"), f"{where}.{union}")
