"""Constants of an emitted model: kernel parameters and tensors as C initialisers, each array only once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import Params, members

PER_LINE = {1: 24, 2: 16, 4: 8, 8: 4}
C_TYPES = {
    "int8": "int8_t",
    "uint8": "uint8_t",
    "int16": "int16_t",
    "uint16": "uint16_t",
    "int32": "int32_t",
    "uint32": "uint32_t",
    "int64": "int64_t",
    "uint64": "uint64_t",
    "float32": "float",
    "bool": "uint8_t",
}


@dataclass(frozen=True, eq=False)
class ConstantArray:
    """One array of the weights file."""

    name: str
    c_type: str
    count: int
    bytes: int
    rows: tuple[str, ...]
    comment: str


class ConstantPool:
    """Collects arrays; equal bytes of one type are one array."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._arrays: dict[str, ConstantArray] = {}
        self._names: set[str] = set()

    @property
    def arrays(self) -> tuple[ConstantArray, ...]:
        return tuple(self._arrays.values())

    def add(self, label: str, data: Array, comment: str) -> str:
        """The C name of the array with these values."""
        key = f"{data.dtype}:{hashlib.sha256(np.ascontiguousarray(data).tobytes()).hexdigest()}"
        if key not in self._arrays:
            name = f"{self._prefix}_{label}"
            while name in self._names:
                name += "_"
            self._names.add(name)
            flat = data.reshape(-1)
            self._arrays[key] = ConstantArray(
                name=name,
                c_type=C_TYPES[data.dtype.name],
                count=max(flat.size, 1),
                bytes=data.nbytes,
                rows=array_rows(flat),
                comment=comment,
            )
        return self._arrays[key].name

    def initialiser(self, label: str, params: Params, comment: str) -> list[str]:
        """The members of a struct initialiser, one line each."""
        return [f".{name} = {self._value(label, name, v, comment)}" for name, v in members(params).items()]

    def _value(self, label: str, member: str, value: object, comment: str) -> str:
        if value is None:
            return "0"
        if isinstance(value, np.ndarray):
            return self.add(f"{label}_{member}", value, f"{comment}: {member}")
        if isinstance(value, tuple):
            return "{" + ", ".join(_literal(int(item)) for item in value) + "}"
        if isinstance(value, float):
            return float_literal(value)
        assert isinstance(value, int), f"{member} is {value!r}"
        return _literal(value)


def array_rows(flat: Array) -> tuple[str, ...]:
    """Lines of literals; an empty array gets one zero, since C has none of no elements."""
    if flat.size == 0:
        return ("0",)
    if flat.dtype.kind == "f":
        literals = [float_literal(float(value)) for value in flat]
    else:
        literals = [_literal(int(value)) for value in flat]
    width = PER_LINE[flat.dtype.itemsize]
    return tuple(", ".join(literals[i : i + width]) for i in range(0, len(literals), width))


def _literal(value: int) -> str:
    """An integer constant of any width; the lowest values have no literal of their own in C."""
    if value == -(2**31):
        return "(-2147483647 - 1)"
    if value == -(2**63):
        return "(-9223372036854775807LL - 1)"
    if value > 2**63 - 1:
        return f"{value}ULL"
    if not -(2**31) < value < 2**31:
        return f"{value}U" if 0 < value < 2**32 else f"{value}LL"
    return str(value)


def float_literal(value: float) -> str:
    """A float constant that reads back exactly: the shortest digits that name this float32."""
    single = np.float32(value)
    if np.isnan(single):
        return '__builtin_nanf("")'
    if np.isinf(single):
        return "__builtin_inff()" if single > 0 else "(-__builtin_inff())"
    return f"{single!s}f"
