"""Targets: what a folder of edgegen/targets/ says about a processor, its boards and its emulators."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from edgegen.errors import UsageError

FOLDER = Path(__file__).parent
UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


@dataclass(frozen=True)
class Budget:
    """What firmware may use, in bytes. `ram_bytes` is linear memory on wasm, and includes the stack."""

    flash_bytes: int
    ram_bytes: int
    stack_bytes: int

    @property
    def memory_bytes(self) -> int:
        """The linear memory of a wasm target: another name for its RAM."""
        return self.ram_bytes


@dataclass(frozen=True)
class Board:
    """One file of a target's boards/ folder, in PlatformIO's board format.

    The origins are None where addresses are not fixed. `qemu_machine` is None where QEMU has no such machine.
    """

    id: str
    title: str
    budget: Budget
    flash_origin: int | None
    ram_origin: int | None
    protocols: tuple[str, ...]
    qemu_machine: str | None


@dataclass(frozen=True)
class EmulatorChoice:
    """`name` is what a user types; `module` is the file in edgegen/emulate/ that implements it."""

    name: str
    module: str


@dataclass(frozen=True)
class Target:
    """A processor that firmware is built for. `alignment` is that of arena and scratch, in bytes.

    `constants_in_ram` says whether weights take RAM: not where they stay in flash. `suffix` ends the name of
    the image. `compile_flags` has an entry for each compiler that can build the target.
    """

    name: str
    title: str
    cpu: str
    word_bytes: int
    alignment: int
    constants_in_ram: bool
    suffix: str
    compile_flags: Mapping[str, tuple[str, ...]]
    board: Board
    boards: tuple[Board, ...]
    emulators: tuple[EmulatorChoice, ...]
    budget: Budget
    folder: Path

    @property
    def is_host(self) -> bool:
        """True for the machine that edgegen runs on."""
        return self.cpu == "native"

    @property
    def optimization(self) -> str:
        """The compilers' optimisation flag, the same for all."""
        return next(flag for flags in self.compile_flags.values() for flag in flags if flag.startswith("-O"))

    @property
    def kernels(self) -> Path:
        """Folder of kernels that replace portable ones of the same name; it may not exist."""
        return self.folder / "kernels"

    @property
    def image_name(self) -> str:
        """File name of the built image."""
        return f"firmware{self.suffix}"

    def with_budget(
        self, *, flash: int | None = None, ram: int | None = None, stack: int | None = None
    ) -> Target:
        """The same target with other budgets, in bytes. UsageError if the stack does not fit in RAM."""
        budget = Budget(
            flash_bytes=self.budget.flash_bytes if flash is None else flash,
            ram_bytes=self.budget.ram_bytes if ram is None else ram,
            stack_bytes=self.budget.stack_bytes if stack is None else stack,
        )
        if budget.stack_bytes >= budget.ram_bytes:
            raise UsageError(
                f"target {self.name}: the stack of {budget.stack_bytes} bytes does not fit in "
                f"{budget.ram_bytes} bytes of RAM; give more RAM or a smaller stack"
            )
        return replace(self, budget=budget)

    def with_board(self, board: str) -> Target:
        """The same target on another of its boards, with that board's budget. UsageError if unknown."""
        for candidate in self.boards:
            if candidate.id == board:
                return replace(self, board=candidate, budget=candidate.budget)
        raise UsageError(_unknown(f"board of target {self.name}", board, [known.id for known in self.boards]))

    def emulator(self, name: str | None = None) -> EmulatorChoice:
        """The emulator of that name, or the default one. UsageError if the target has none of that name."""
        for candidate in self.emulators:
            if name in (None, candidate.name):
                return candidate
        raise UsageError(
            _unknown(f"emulator of target {self.name}", str(name), [known.name for known in self.emulators])
        )


def list_targets() -> tuple[Target, ...]:
    """All targets, sorted by name."""
    return tuple(_read(file.parent) for file in sorted(FOLDER.glob("*/target.toml")))


def load_target(name: str, *, board: str | None = None) -> Target:
    """The target of that name, on its default board or on `board`. UsageError if there is none."""
    folder = FOLDER / name
    names = sorted(file.parent.name for file in FOLDER.glob("*/target.toml"))
    if name not in names:
        raise UsageError(_unknown("target", name, names))
    target = _read(folder)
    return target if board is None else target.with_board(board)


def parse_size(text: str, *, option: str = "size") -> int:
    """Bytes of "262144", "256K", "1M", "0x40000" or "256 KiB" (1 K is 1024). UsageError otherwise."""
    match = re.fullmatch(r"\s*(0x[0-9a-f]+|\d+)\s*([kmg]?)(i?b)?\s*", text, re.IGNORECASE)
    if match is None:
        raise UsageError(f"{option}: expected bytes such as 65536, 64K or 1M, got {text!r}")
    size = int(match[1], 0 if match[1].lower().startswith("0x") else 10) * UNITS[match[2].upper()]
    if size == 0:
        raise UsageError(f"{option}: expected more than zero bytes, got {text!r}")
    return size


def _unknown(kind: str, name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"unknown {kind}: {name!r}{hint} (there are: {', '.join(known)})"


def _read(folder: Path) -> Target:
    facts = tomllib.loads((folder / "target.toml").read_text(encoding="utf-8"))
    toolchain = _json(folder / "support" / "toolchain.json")
    boards = tuple(_read_board(file) for file in sorted((folder / "boards").glob("*.json")))
    default = next(board for board in boards if board.id == facts["default_board"])
    return Target(
        name=folder.name,
        title=facts["title"],
        cpu=facts["cpu"],
        word_bytes=facts["word_bytes"],
        alignment=facts["alignment"],
        constants_in_ram=facts["constants_in_ram"],
        suffix=toolchain["suffix"],
        compile_flags={
            compiler: (*toolchain[compiler]["flags"], *toolchain["flags"])
            for compiler in ("zig", "gcc")
            if compiler in toolchain
        },
        board=default,
        boards=boards,
        emulators=tuple(EmulatorChoice(**choice) for choice in facts["emulators"]),
        budget=default.budget,
        folder=folder,
    )


def _read_board(file: Path) -> Board:
    facts = _json(file)
    build, upload = facts["build"], facts["upload"]
    return Board(
        id=file.stem,
        title=facts["name"],
        budget=Budget(upload["maximum_size"], upload["maximum_ram_size"], build["stack_bytes"]),
        flash_origin=build.get("flash_origin"),
        ram_origin=build.get("ram_origin"),
        protocols=tuple(upload.get("protocols", ())),
        qemu_machine=facts.get("emulate", {}).get("qemu_machine"),
    )


def _json(file: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content
