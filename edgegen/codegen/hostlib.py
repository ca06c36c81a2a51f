"""Calls the C kernels that ship from Python: compiled once for the host, opened through cffi."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import Call, Params, TensorType, members
from edgegen.codegen.toolchain import build_shared

KERNELS = Path(__file__).resolve().parent.parent / "firmware" / "kernels"
GUARD = 64
GUARD_BYTE = 0xA5
SANITIZE = ("-fsanitize=undefined", "-fsanitize-trap=undefined")


def declarations(header: str) -> str:
    """A kernel header as cffi reads it: without preprocessor lines."""
    return "\n".join(line for line in header.splitlines() if not line.lstrip().startswith("#"))


class HostLibrary:
    """The kernels of one folder, callable."""

    def __init__(self, folder: Path = KERNELS, *, sanitize: bool = False) -> None:
        """Compile every kernel of `folder`; with `sanitize` undefined behaviour ends the process."""
        self.ffi = cffi.FFI()
        for header in sorted(folder.glob("*.h")):
            text = header.read_text(encoding="utf-8")
            if "static inline" not in text:
                self.ffi.cdef(declarations(text))
        flags = ("-ffp-contract=off", *(SANITIZE if sanitize else ()))
        sources = sorted(folder.glob("*.c"))
        self.library = self.ffi.dlopen(
            str(build_shared(sources, include_dirs=[folder], flags=flags, name="kernels"))
        )

    def run(self, call: Call, inputs: Sequence[Array], outputs: Sequence[TensorType]) -> tuple[Array, ...]:
        """One kernel call on one vector; inputs in the order of `call.inputs`, each of its tensor's shape.

        A state input must be a writable contiguous array: it is changed in place. Raises AssertionError if
        the kernel writes outside its outputs or its scratch.
        """
        keep: list[Any] = []
        params = self._struct(call.kernel, call.params, keep)
        arrays = [np.ascontiguousarray(array) for array in inputs]
        buffers = [
            _Guarded(np.dtype(kind.dtype.numpy).itemsize * int(np.prod(kind.shape))) for kind in outputs
        ]
        scratch = [_Guarded(call.scratch_bytes)] if call.scratch_bytes else []
        pointers = [self.ffi.cast("void *", array.ctypes.data) for array in arrays]
        pointers += [self.ffi.cast("void *", buffer.address) for buffer in (*buffers, *scratch)]
        getattr(self.library, f"edgegen_{call.kernel}")(params, *pointers)
        for buffer in (*buffers, *scratch):
            buffer.check(call.kernel)
        return tuple(
            buffer.bytes().view(kind.dtype.numpy).reshape(kind.shape).copy()
            for buffer, kind in zip(buffers, outputs, strict=True)
        )

    def _struct(self, kernel: str, params: Params, keep: list[Any]) -> Any:
        """The C struct of a Params dataclass, member by member."""
        struct = self.ffi.new(f"edgegen_{kernel}_params *")
        keep.append(struct)
        declared = dict(self.ffi.typeof(f"edgegen_{kernel}_params").fields)
        given = members(params)
        if declared.keys() != given.keys():
            odd = ", ".join(sorted(declared.keys() ^ given.keys()))
            raise TypeError(f"edgegen_{kernel}_params and {type(params).__name__} differ in: {odd}")
        for name, value in given.items():
            setattr(struct, name, self._member(declared[name], value, keep))
        return struct

    def _member(self, member: Any, value: object, keep: list[Any]) -> Any:
        if value is None:
            return self.ffi.NULL
        if isinstance(value, np.ndarray):
            width = self.ffi.sizeof(member.type.item)
            if member.type.kind != "pointer" or width != value.itemsize:
                raise TypeError(f"a member of type {member.type.cname} cannot point to {value.dtype}")
            array = np.ascontiguousarray(value)
            keep.append(array)
            return self.ffi.cast(member.type, array.ctypes.data)
        return list(value) if isinstance(value, tuple) else value


class _Guarded:
    """A zeroed buffer, aligned to 16 bytes, with guard bytes on both sides."""

    def __init__(self, size: int) -> None:
        self._all = np.full(size + 2 * GUARD + 16, GUARD_BYTE, np.uint8)
        self._start = GUARD + (-(self._all.ctypes.data + GUARD)) % 16
        self._size = size
        self.bytes()[:] = 0

    @property
    def address(self) -> int:
        return int(self._all.ctypes.data) + self._start

    def bytes(self) -> Array:
        return self._all[self._start : self._start + self._size]

    def check(self, kernel: str) -> None:
        before, after = self._all[: self._start], self._all[self._start + self._size :]
        if (before != GUARD_BYTE).any() or (after != GUARD_BYTE).any():
            raise AssertionError(f"kernel {kernel} wrote outside a buffer of {self._size} bytes")


@cache
def library() -> HostLibrary:
    """The portable kernels; with EDGEGEN_SANITIZE=1 undefined behaviour traps."""
    return HostLibrary(sanitize=os.environ.get("EDGEGEN_SANITIZE") == "1")


def run_call(call: Call, inputs: Sequence[Array], outputs: Sequence[TensorType]) -> tuple[Array, ...]:
    """`HostLibrary.run` of the portable kernels."""
    return library().run(call, inputs, outputs)
