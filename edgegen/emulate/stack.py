"""A bound of the stack that a function can ever need, from the instructions of a linked image.

A frame is what a function's own instructions take from the stack pointer, each counted once; calls are
followed.
A function that calls itself, calls through a register or takes a varying amount has no bound, and is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import capstone

from edgegen.emulate.image import ElfImage, Symbol, load_elf
from edgegen.errors import ToolError
from edgegen.targets import Target

ARM, AARCH64 = "cortex-m4", "cortex-a53"


@dataclass(frozen=True)
class Frame:
    """What a function takes from the stack itself, and the functions that it calls."""

    bytes: int
    callees: tuple[Symbol, ...]


@dataclass
class StackBound:
    """Bounds of functions of one image; `architecture` is that of a target's cpu."""

    image: ElfImage
    cpu: str
    _known: dict[Symbol, int] = field(default_factory=dict)
    _active: list[Symbol] = field(default_factory=list)

    def of(self, name: str) -> int:
        """Bytes below the stack pointer that a call may touch. ToolError if there is no bound."""
        function = self.image.function_at(self.image.address_of(name) & ~1)
        if function is None:
            raise ToolError(f"{self.image.path.name}: {name} is no function")
        return self._bound(function)

    def _bound(self, function: Symbol) -> int:
        if function in self._active:
            names = " -> ".join(f.name for f in [*self._active, function])
            raise ToolError(f"{self.image.path.name}: no bound of the stack: recursion {names}")
        if function not in self._known:
            self._active.append(function)
            frame = frame_of(self.image, function, self.cpu)
            self._known[function] = frame.bytes + max((self._bound(c) for c in frame.callees), default=0)
            self._active.pop()
        return self._known[function]


def frame_of(image: ElfImage, function: Symbol, cpu: str) -> Frame:
    """The frame of a function. ToolError names what has no bound."""
    reader = {ARM: _thumb, AARCH64: _aarch64}[cpu]
    taken = 0
    callees: dict[Symbol, None] = {}
    for instruction in _instructions(image, function, cpu):
        change, target, problem = reader(instruction)
        if problem:
            where = image.describe(instruction.address)
            raise ToolError(f"{image.path.name}: no bound of the stack: {problem} at {where}")
        taken += change
        if target is not None:
            callee = image.function_at(target)
            if callee is not None and (callee != function or _is_call(instruction)):
                callees[callee] = None
    return Frame(taken, tuple(callees))


def _instructions(image: ElfImage, function: Symbol, cpu: str) -> Iterator[Any]:
    """All instructions of a function; tables between them are skipped."""
    if cpu == ARM:
        engine = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS)
        step = 2
    else:
        engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
        step = 4
    at, end = function.address, function.address + function.size
    while at < end:
        decoded = next(engine.disasm(image.code(at, end - at), at, 1), None)
        if decoded is None:
            at += step  # a table or a literal
            continue
        yield decoded
        at += decoded.size


def _is_call(instruction: Any) -> bool:
    return instruction.mnemonic.split(".")[0] in ("bl", "blx")


Reading = tuple[int, int | None, str]


def _target(text: str) -> int | None:
    match = re.fullmatch(r"#(0x[0-9a-f]+|\d+)", text.split(", ")[-1])
    return int(match[1], 0) if match else None


def _thumb(instruction: Any) -> Reading:
    """Bytes taken, an address that is called or jumped to, and what has no bound."""
    name = instruction.mnemonic.split(".")[0]
    text = instruction.op_str
    if name in ("push", "vpush"):
        return _register_bytes(text), None, ""
    if name in ("stmdb", "vstmdb") and text.startswith("sp!"):
        return _register_bytes(text.partition("{")[2]), None, ""
    if name in ("str", "strd") and (match := re.search(r"\[sp, #-(0x[0-9a-f]+|\d+)\]!", text)):
        return int(match[1], 0), None, ""
    if name.startswith("sub") and text.startswith("sp"):
        return _subtraction(text, "sp")
    if name == "mov" and text.startswith("sp, ") and text != "sp, r7":
        return 0, None, "a stack pointer out of a register"
    if name in (
        "bl",
        "b",
        "beq",
        "bne",
        "bhs",
        "blo",
        "bmi",
        "bpl",
        "bhi",
        "bls",
        "bge",
        "blt",
        "bgt",
        "ble",
    ):
        return 0, _target(text), ""
    if name == "blx" or (name == "bx" and text != "lr"):
        return 0, None, f"a call through {text}"
    return 0, None, ""


def _aarch64(instruction: Any) -> Reading:
    name = instruction.mnemonic
    text = instruction.op_str
    if name in ("stp", "str") and (match := re.search(r"\[sp, #-(0x[0-9a-f]+|\d+)\]!", text)):
        return int(match[1], 0), None, ""
    if name == "sub" and text.startswith("sp, "):
        return _subtraction(text, "sp")
    if name == "mov" and text.startswith("sp, ") and text != "sp, x29":
        return 0, None, "a stack pointer out of a register"
    if name in ("bl", "b") or name.startswith(("b.", "cb", "tb")):
        return 0, _target(text), ""
    if name in ("blr", "br"):
        return 0, None, f"a call through {text}"
    return 0, None, ""


def _subtraction(text: str, pointer: str) -> Reading:
    """`sub sp, sp, #n` takes n; one from a frame pointer gives back; by a register it has no bound."""
    parts = text.split(", ")
    match = re.fullmatch(r"#(0x[0-9a-f]+|\d+)", parts[2] if len(parts) > 2 else parts[-1])
    if match is None:
        return 0, None, "an amount of stack that varies"
    if len(parts) > 2 and parts[1] != pointer:
        return 0, None, ""
    shift = 12 if parts[-1] == "lsl #12" else 0
    return int(match[1], 0) << shift, None, ""


def _register_bytes(text: str) -> int:
    """Bytes of a list of registers; capstone writes each of them."""
    names = re.findall(r"[a-z]+\d*", text)
    return sum(8 if name.startswith("d") else 16 if name.startswith("q") else 4 for name in names)


def stack_bound(path: Path, target: Target, function: str) -> int | None:
    """Bytes of stack that a call of the function may need at most; None where there is no bound to be had."""
    if target.cpu not in (ARM, AARCH64):
        return None
    try:
        return StackBound(load_elf(path), target.cpu).of(function)
    except ToolError:
        return None
