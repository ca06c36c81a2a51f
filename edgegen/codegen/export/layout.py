"""The layout of the schema's tables, learnt from the builder functions of the `tflite` package.

Calling `TensorAddShape` with a stand-in for the builder tells the field's slot and width, and
`TensorStartShapeVector` the size of its elements; so no offset of the format is written down here.
"""

from __future__ import annotations

import enum
import importlib
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import flatbuffers
import flatbuffers.number_types as numbers
import flatbuffers.table


class Kind(enum.Enum):
    SCALAR = enum.auto()
    VECTOR = enum.auto()
    """Offset of a vector; whether of numbers, strings or tables, the layout cannot say."""
    OFFSET = enum.auto()
    """Offset of a string, a table, or a union's table."""


@dataclass(frozen=True)
class Field:
    """`slot` counts from 0; `width` is what the field takes in the table, `element` in its vector.

    `number` is flatbuffers' name of a scalar's type: `Int32`, `Bool`.
    """

    name: str
    slot: int
    kind: Kind
    width: int
    element: int = 0
    number: str = ""


class _Recorder:
    """Stands in for a builder and keeps the call that a generated function makes."""

    def __init__(self) -> None:
        self.method = ""
        self.arguments: tuple[Any, ...] = ()

    def __getattr__(self, method: str) -> Any:
        def record(*arguments: Any) -> None:
            self.method, self.arguments = method, arguments

        return record


@cache
def fields(table: str) -> MappingProxyType[str, Field]:
    """The fields of a table of the schema by name."""
    module = importlib.import_module(f"tflite.{table}")
    prefix = f"{table}Add"
    names = sorted(name.removeprefix(prefix) for name in vars(module) if name.startswith(prefix))
    return MappingProxyType({name: _field(module, table, name) for name in names})


def _field(module: Any, table: str, name: str) -> Field:
    added = _Recorder()
    getattr(module, f"{table}Add{name}")(added, 0)
    slot = int(added.arguments[0])
    if added.method != "PrependUOffsetTRelativeSlot":
        number = added.method.removeprefix("Prepend").removesuffix("Slot")
        width = int(getattr(numbers, f"{number}Flags").bytewidth)
        return Field(name, slot, Kind.SCALAR, width, number=number)
    width = int(numbers.UOffsetTFlags.bytewidth)
    start = getattr(module, f"{table}Start{name}Vector", None)
    if start is None:
        return Field(name, slot, Kind.OFFSET, width)
    started = _Recorder()
    start(started, 0)
    return Field(name, slot, Kind.VECTOR, width, element=int(started.arguments[0]))


def operator_code(code: Any) -> int:
    """The builtin operator that an `OperatorCode` means: the larger of its two fields, as in the runtimes.

    Files older than 2020 have only the first, one-byte field; newer ones may leave it out. The package's own
    `BuiltinCode()` gives the first field for every operator below 128, so the second is read here.
    """
    field = fields("OperatorCode")["BuiltinCode"]
    table = flatbuffers.table.Table(code._tab.Bytes, code._tab.Pos)
    # a vtable begins with its own size and the table's, of two bytes each
    at = table.Offset((field.slot + 2) * numbers.VOffsetTFlags.bytewidth)
    builtin = int(table.Get(numbers.Int32Flags, at + table.Pos)) if at else 0
    return max(builtin, int(code.DeprecatedBuiltinCode()))
