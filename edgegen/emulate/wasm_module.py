"""The parts of a wasm module that sizes and stack measurements need (WebAssembly core specification, 5.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from edgegen.errors import ToolError

PAGE = 65536
SECTIONS = (
    "custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element", "code",
    "data", "data_count",
)  # fmt: skip
I32_CONST = 0x41
EXTERNAL_FUNCTION = 0
NAME_FUNCTIONS = 1


@dataclass(frozen=True)
class WasmFunction:
    """A function with a body: its index, `size` in bytes, and its name or `function[index]`."""

    index: int
    name: str
    size: int


@dataclass(frozen=True)
class WasmModule:
    """Sizes in bytes. `stack_bytes` is where the linker's stack in linear memory begins to grow downwards.

    `data_start` is the lowest address of initialised data, None without data.
    """

    file_bytes: int
    memory_bytes: int
    stack_bytes: int
    data_start: int | None
    sections: Mapping[str, int]
    functions: tuple[WasmFunction, ...]

    @property
    def stack_first(self) -> bool:
        """The stack lies below all data, so that an overflow leaves memory and traps."""
        return self.data_start is None or self.data_start >= self.stack_bytes

    def section_bytes(self, name: str) -> int:
        """Content bytes of a section, 0 if the module has none."""
        return self.sections.get(name, 0)


class _Reader:
    """A position in bytes."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text(self) -> str:
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at].decode("utf-8", "replace")


def read(path: Path) -> WasmModule:
    """Read a module. ToolError if it is missing, is none, or is cut off."""
    try:
        data = path.read_bytes()
    except OSError as problem:
        raise ToolError(f"image {path} cannot be read: {problem.strerror}; build it first") from problem
    if data[:4] != b"\0asm":
        raise ToolError(f"image {path} is not a wasm module")
    try:
        return _parse(data)
    except (IndexError, ValueError) as problem:
        raise ToolError(f"image {path} is a damaged wasm module") from problem


def _parse(data: bytes) -> WasmModule:
    sections: dict[str, int] = {}
    bodies: dict[str, bytes] = {}
    for name, body in _sections(data):
        sections[name] = sections.get(name, 0) + len(body)
        bodies[name] = body
    imported = _imported_functions(bodies.get("import", b"\0"))
    return WasmModule(
        file_bytes=len(data),
        memory_bytes=_memory(bodies.get("memory", b"\0")),
        stack_bytes=_stack(bodies.get("global", b"\0")),
        data_start=_data_start(bodies.get("data", b"\0")),
        sections=sections,
        functions=_functions(bodies.get("code", b"\0"), imported, _names(bodies.get("name", b""))),
    )


def _sections(data: bytes) -> Iterator[tuple[str, bytes]]:
    reader = _Reader(data, 8)
    while reader.at < len(data):
        kind, size = reader.byte(), reader.number()
        if reader.at + size > len(data):
            raise ValueError("cut off")
        body = data[reader.at : reader.at + size]
        reader.at += size
        if SECTIONS[kind] == "custom":
            inner = _Reader(body)
            yield inner.text(), body[inner.at :]
        else:
            yield SECTIONS[kind], body


def _memory(body: bytes) -> int:
    reader = _Reader(body)
    if reader.number() == 0:
        return 0
    reader.byte()
    return reader.number() * PAGE


def _stack(body: bytes) -> int:
    """The linker makes the stack pointer the first global, and puts the stack below all data."""
    reader = _Reader(body)
    if reader.number() == 0:
        return 0
    reader.at += 2
    return reader.number() if reader.byte() == I32_CONST else 0


def _data_start(body: bytes) -> int | None:
    """Lowest offset of the active data segments of the first memory."""
    reader = _Reader(body)
    starts = []
    for _ in range(reader.number()):
        if reader.number() != 0 or reader.byte() != I32_CONST:
            raise ValueError("only data at constant addresses is used by images of edgegen")
        starts.append(reader.number())
        reader.byte()
        reader.at += reader.number()
    return min(starts, default=None)


def _imported_functions(body: bytes) -> list[str]:
    reader = _Reader(body)
    found = []
    for _ in range(reader.number()):
        reader.text()
        name = reader.text()
        if reader.byte() != EXTERNAL_FUNCTION:
            raise ValueError("only functions are imported by images of edgegen")
        reader.number()
        found.append(name)
    return found


def _names(body: bytes) -> dict[int, str]:
    reader = _Reader(body)
    while reader.at < len(body):
        kind, size = reader.byte(), reader.number()
        if kind == NAME_FUNCTIONS:
            return {reader.number(): reader.text() for _ in range(reader.number())}
        reader.at += size
    return {}


def _functions(body: bytes, imported: list[str], names: Mapping[int, str]) -> tuple[WasmFunction, ...]:
    reader = _Reader(body)
    found = []
    for index in range(len(imported), len(imported) + reader.number()):
        size = reader.number()
        reader.at += size
        found.append(WasmFunction(index, names.get(index, f"function[{index}]"), size))
    return tuple(found)
