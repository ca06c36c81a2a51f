"""What is in an image: segments, symbols and sizes of ELF files and wasm modules."""

from __future__ import annotations

import bisect
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section, SymbolTableSection

from edgegen.emulate import wasm_module
from edgegen.errors import ToolError
from edgegen.targets import Target

SHF_WRITE, SHF_ALLOC, SHF_EXECINSTR = 1, 2, 4
# What pyelftools raises on bytes that are not what a header promises.
DAMAGE = (
    ELFError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    OverflowError,
    MemoryError,
    AssertionError,
)
HARNESS_PREFIX = "harness_"


@dataclass(frozen=True)
class Symbol:
    """A function or object: `address` without the Thumb bit, `size` in bytes, `kind` code or data."""

    name: str
    address: int
    size: int
    kind: str

    def __contains__(self, address: int) -> bool:
        return self.address <= address < self.address + max(self.size, 1)


@dataclass(frozen=True)
class Segment:
    """Bytes to load. `load` is where a loader writes them, `address` where the program finds them."""

    address: int
    load: int
    data: bytes
    memory_bytes: int
    writable: bool
    executable: bool


@dataclass(frozen=True)
class ElfImage:
    """A linked program."""

    path: Path
    entry: int
    segments: tuple[Segment, ...]
    symbols: tuple[Symbol, ...]
    labels: dict[str, int]

    @cached_property
    def _starts(self) -> list[int]:
        return [symbol.address for symbol in self.functions]

    @cached_property
    def functions(self) -> tuple[Symbol, ...]:
        """Symbols of code, sorted by address."""
        return tuple(sorted((s for s in self.symbols if s.kind == "code"), key=lambda s: (s.address, s.name)))

    def function_at(self, address: int) -> Symbol | None:
        """The function that holds an address."""
        index = bisect.bisect_right(self._starts, address) - 1
        return self.functions[index] if index >= 0 and address in self.functions[index] else None

    def describe(self, address: int) -> str:
        """`0x00000123 (conv2d+0x12)`, or the bare address outside all functions."""
        function = self.function_at(address)
        return f"0x{address:08x}" + (
            f" ({function.name}+0x{address - function.address:x})" if function else " (in no function)"
        )

    def address_of(self, name: str) -> int:
        """Address of a symbol or linker label. ToolError if the image has none of that name."""
        if name not in self.labels:
            raise ToolError(f"{self.path.name}: symbol {name} is missing; build the image with the harness")
        return self.labels[name]

    def code(self, address: int, size: int) -> bytes:
        """Bytes of the image at an address."""
        for segment in self.segments:
            offset = address - segment.address
            if 0 <= offset < len(segment.data):
                return segment.data[offset : offset + size]
        return b""


@dataclass(frozen=True)
class ImageSizes:
    """What an image takes, in bytes.

    `flash` is code, constants and initial data; for wasm, the module. `ram` is all that is writable, with the
    stack; where constants lie in RAM too, see `Target.constants_in_ram`. For wasm, `ram` is the linear memory
    asked for. `symbols` is sorted by falling size; `harness_*` are those of the harness and start-up.
    """

    flash: int
    ram: int
    code: int
    constants: int
    data: int
    bss: int
    stack: int
    symbols: tuple[Symbol, ...]

    @property
    def harness_bss(self) -> int:
        """RAM of the harness: the input and output buffer of one vector, and file handles."""
        return sum(s.size for s in self.symbols if s.kind == "data" and _is_harness(s.name))

    @property
    def harness_code(self) -> int:
        """Code of the harness and start-up."""
        return sum(s.size for s in self.symbols if s.kind == "code" and _is_harness(s.name))


def _is_harness(name: str) -> bool:
    return name.startswith(HARNESS_PREFIX) or name in ("main", "_start")


@contextmanager
def _opened(path: Path) -> Iterator[ELFFile]:
    """The ELF file at a path. ToolError if it is missing, is none, or turns out damaged while it is read."""
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise ToolError(f"image {path} cannot be read: {problem.strerror}; build it first") from problem
    if content[:4] != b"\x7fELF":
        raise ToolError(f"image {path} is not an ELF file")
    try:
        yield ELFFile(io.BytesIO(content))
    except DAMAGE as problem:
        raise ToolError(f"image {path} is a damaged ELF file: {problem}") from problem


def load_elf(path: Path) -> ElfImage:
    """Read a linked ELF program. ToolError if it is missing, is none, or is damaged."""
    with _opened(path) as elf:
        segments = tuple(
            Segment(
                address=part["p_vaddr"],
                load=part["p_paddr"],
                data=part.data(),
                memory_bytes=part["p_memsz"],
                writable=bool(part["p_flags"] & 2),
                executable=bool(part["p_flags"] & 1),
            )
            for part in elf.iter_segments()
            if part["p_type"] == "PT_LOAD" and part["p_memsz"]
        )
        symbols, labels = _symbols(elf)
        return ElfImage(path, elf["e_entry"], segments, symbols, labels)


def _symbols(elf: ELFFile) -> tuple[tuple[Symbol, ...], dict[str, int]]:
    table = elf.get_section_by_name(".symtab")
    thumb = elf["e_machine"] == "EM_ARM"
    symbols: list[Symbol] = []
    labels: dict[str, int] = {}
    for entry in table.iter_symbols() if isinstance(table, SymbolTableSection) else ():
        kind = {"STT_FUNC": "code", "STT_OBJECT": "data"}.get(entry["st_info"]["type"])
        address = entry["st_value"] & ~1 if thumb and kind == "code" else entry["st_value"]
        if not entry.name or entry.name.startswith("$") or entry["st_shndx"] == "SHN_UNDEF":
            continue
        labels[entry.name] = address
        if kind:
            symbols.append(Symbol(entry.name, address, entry["st_size"], kind))
    return tuple(symbols), labels


def sizes(image: Path, target: Target) -> ImageSizes:
    """Sizes of a built image. ToolError if it is missing or damaged."""
    if target.suffix == ".wasm":
        return _wasm_sizes(image)
    return _elf_sizes(image)


def _elf_sizes(path: Path) -> ImageSizes:
    total = dict.fromkeys(("code", "constants", "data", "bss", "stack"), 0)
    with _opened(path) as elf:
        for section in elf.iter_sections():
            if section["sh_flags"] & SHF_ALLOC:
                total[_place(section)] += section["sh_size"]
        symbols = _symbols(elf)[0]
    return ImageSizes(
        flash=total["code"] + total["constants"] + total["data"],
        ram=total["data"] + total["bss"] + total["stack"],
        symbols=_by_size(symbols),
        **total,
    )


def _place(section: Section) -> str:
    if section["sh_type"] == "SHT_NOBITS":
        return "stack" if section.name == ".stack" else "bss"
    if section["sh_flags"] & SHF_WRITE:
        return "data"
    return "code" if section["sh_flags"] & SHF_EXECINSTR else "constants"


def _wasm_sizes(path: Path) -> ImageSizes:
    module = wasm_module.read(path)
    return ImageSizes(
        flash=module.file_bytes,
        ram=module.memory_bytes,
        code=module.section_bytes("code"),
        constants=module.section_bytes("data"),
        data=0,
        bss=max(module.memory_bytes - module.stack_bytes - module.section_bytes("data"), 0),
        stack=module.stack_bytes,
        symbols=_by_size(tuple(Symbol(f.name, f.index, f.size, "code") for f in module.functions)),
    )


def _by_size(symbols: Sequence[Symbol]) -> tuple[Symbol, ...]:
    return tuple(sorted(symbols, key=lambda symbol: (-symbol.size, symbol.name)))
