"""Print the flash and RAM that an ELF or wasm image takes, for PlatformIO's size check.

Only the standard library: this file runs where edgegen is not installed.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path

SHT_NOBITS, SHF_WRITE, SHF_ALLOC = 8, 1, 2
WASM_PAGE = 65536
WASM_MEMORY_SECTION = 5


def elf_sizes(data: bytes) -> tuple[int, int]:
    """Flash holds code, constants and the initial values of data; RAM holds everything writable."""
    wide = data[4] == 2
    offset = struct.unpack_from("<Q" if wide else "<I", data, 40 if wide else 32)[0]
    entry, count = struct.unpack_from("<HH", data, 58 if wide else 46)
    flash = ram = 0
    for index in range(count):
        fields = struct.unpack_from("<IIQQQQ" if wide else "<IIIIII", data, offset + index * entry)
        kind, flags, size = fields[1], fields[2], fields[5]
        if flags & SHF_ALLOC:
            flash += 0 if kind == SHT_NOBITS else size
            ram += size if kind == SHT_NOBITS or flags & SHF_WRITE else 0
    return flash, ram


def leb128(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def wasm_sizes(data: bytes) -> tuple[int, int]:
    """The module's bytes, and the linear memory that it asks for at the start."""
    at = 8
    while at < len(data):
        section = data[at]
        size, at = leb128(data, at + 1)
        if section == WASM_MEMORY_SECTION:
            pages = leb128(data, leb128(data, at)[1] + 1)[0]
            return len(data), pages * WASM_PAGE
        at += size
    return len(data), 0


def main(path: str) -> None:
    data = Path(path).read_bytes()
    flash, ram = wasm_sizes(data) if data[:4] == b"\0asm" else elf_sizes(data)
    sys.stdout.write(f"flash {flash}\nram {ram}\n")


if __name__ == "__main__":
    main(sys.argv[1])
