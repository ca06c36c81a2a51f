"""Counting executed blocks in unicorn: in native code where it can be compiled, else in Python."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from unicorn import UC_HOOK_BLOCK, Uc

from edgegen.codegen.toolchain import build_shared
from edgegen.emulate.blocks import Block
from edgegen.errors import ToolError

SOURCE = Path(__file__).with_name("block_counter.c")
BLOCK = np.dtype([("address", "<u8"), ("size", "<u8"), ("count", "<u8"), ("taken", "<u8")])


class BlockCounter(Protocol):
    """Counts from the last `reset` on."""

    def reset(self) -> None:
        """Forget everything."""

    def blocks(self) -> list[Block]:
        """What was executed since."""


class PythonCounter:
    """A hook that unicorn calls for each block; 10 to 80 million instructions a second."""

    def __init__(self, engine: Uc) -> None:
        self.reset()
        engine.hook_add(UC_HOOK_BLOCK, self._executed)

    def reset(self) -> None:
        self._counts: dict[tuple[int, int], int] = {}
        self._taken: dict[tuple[int, int], int] = {}
        self._last: tuple[int, int] | None = None

    def blocks(self) -> list[Block]:
        return [Block(*key, count, self._taken.get(key, 0)) for key, count in self._counts.items()]

    def _executed(self, _engine: Uc, address: int, size: int, _user: object) -> None:
        last = self._last
        if last is not None and last[0] + last[1] != address:
            self._taken[last] = self._taken.get(last, 0) + 1
        self._last = (address, size)
        self._counts[self._last] = self._counts.get(self._last, 0) + 1


class NativeCounter:
    """The same in C; several hundred million instructions a second."""

    def __init__(self, engine: Uc) -> None:
        self._library = _library()
        self._table = ctypes.create_string_buffer(self._library.counter_bytes())
        self._offset = self._library.counter_blocks_offset()
        self.reset()
        self._handle = _add_native_hook(engine, self._library.counter_hook, self._table)

    def reset(self) -> None:
        self._library.counter_reset(self._table)

    def blocks(self) -> list[Block]:
        used, overflow = np.frombuffer(memoryview(self._table), "<u8", count=2)
        if overflow:
            raise ToolError("more blocks of code were executed than the counter has room for")
        table = np.frombuffer(memoryview(self._table), BLOCK, count=int(used), offset=self._offset)
        return [Block(*map(int, entry)) for entry in table.tolist()]


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(str(build_shared([SOURCE], name="block_counter")))
    library.counter_bytes.restype = ctypes.c_size_t
    library.counter_blocks_offset.restype = ctypes.c_size_t
    library.counter_reset.argtypes = [ctypes.c_void_p]
    library.counter_reset.restype = None
    return library


def _add_native_hook(engine: Uc, function: Any, user: Any) -> ctypes.c_size_t:
    """unicorn's own C function, since its Python binding only takes Python functions."""
    from unicorn.unicorn_py3.unicorn import uclib

    handle = ctypes.c_size_t()
    status = uclib.uc_hook_add(
        engine._uch,
        ctypes.cast(ctypes.byref(handle), ctypes.POINTER(ctypes.c_size_t)),
        UC_HOOK_BLOCK,
        ctypes.cast(function, ctypes.c_void_p),
        ctypes.cast(user, ctypes.c_void_p),
        ctypes.c_uint64(1),
        ctypes.c_uint64(0),
    )
    if status != 0:
        raise ToolError(f"unicorn refused a native hook (status {status})")
    return handle


def block_counter(engine: Uc) -> BlockCounter:
    """The fastest counter that works here."""
    try:
        return NativeCounter(engine)
    except (ImportError, AttributeError, OSError, TypeError, ctypes.ArgumentError, ToolError):
        return PythonCounter(engine)
