"""The GDB loader against a server that has flash which must be erased first, as probes have."""

from __future__ import annotations

import re
import runpy
import socket
import struct
import threading
from pathlib import Path

import pytest

LOADER = runpy.run_path(
    str(Path(__file__).parents[2] / "edgegen" / "firmware" / "platform" / "support" / "gdb_load.py")
)
FLASH, FLASH_BYTES, PAGE = 0x08000000, 0x2000, 0x400
MEMORY_MAP = (
    '<memory-map><memory type="ram" start="0x20000000" length="0x1000"/>'
    f'<memory type="flash" start="{FLASH:#x}" length="{FLASH_BYTES:#x}"><property name="blocksize">1024'
    "</property></memory></memory-map>"
).encode()


class Probe(threading.Thread):
    """A device whose flash takes ones to zeros only, one connection long."""

    def __init__(self, *, broken: bool = False) -> None:
        super().__init__(daemon=True)
        self.broken = broken
        self.flash = bytearray(FLASH_BYTES)
        self.ram = bytearray(0x1000)
        self.commands: list[bytes] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"

    def run(self) -> None:
        with self.listener:
            connection, _ = self.listener.accept()
        with connection:
            buffer = b""
            while more := connection.recv(4096):
                buffer += more
                while match := re.search(rb"\$([^#]*)#..", buffer, re.DOTALL):
                    buffer = buffer[match.end() :]
                    body = self.answer(LOADER["unescaped"](match[1]))
                    connection.sendall(b"+$" + body + b"#%02x" % (sum(body) & 255))

    def answer(self, packet: bytes) -> bytes:
        self.commands.append(re.split(rb"[:,;]", packet)[0])
        if packet.startswith(b"qXfer:memory-map:read::"):
            start, length = (int(part, 16) for part in packet.rpartition(b":")[2].split(b","))
            part = MEMORY_MAP[start : start + min(length, 60)]
            return (b"m" if start + len(part) < len(MEMORY_MAP) else b"l") + part
        if packet.startswith(b"vFlashErase:"):
            start, length = (int(part, 16) for part in packet[12:].split(b","))
            start -= FLASH
            end = (start + length + PAGE - 1) // PAGE * PAGE
            self.flash[start // PAGE * PAGE : end] = b"\xff" * (end - start // PAGE * PAGE)
            return b"OK"
        if packet.startswith(b"vFlashWrite:"):
            address, _, data = packet[12:].partition(b":")
            for at, byte in enumerate(data, int(address, 16) - FLASH):
                self.flash[at] &= byte ^ self.broken
            return b"OK"
        if packet.startswith(b"M"):
            head, _, data = packet[1:].partition(b":")
            at = int(head.split(b",")[0], 16) - 0x20000000
            self.ram[at : at + len(data) // 2] = bytes.fromhex(data.decode())
            return b"OK"
        if packet.startswith(b"m"):
            start, length = (int(part, 16) for part in packet[1:].split(b","))
            memory, base = (self.flash, FLASH) if start < 0x20000000 else (self.ram, 0x20000000)
            return memory[start - base : start - base + length].hex().encode()
        return b"OK" if packet in (b"vFlashDone", b"D") or packet.startswith(b"qRcmd") else b""


def elf_file(path: Path, segments: list[tuple[int, bytes]]) -> Path:
    """The least that a loader needs: file header, program headers, data."""
    offset = 52 + 32 * len(segments)
    header = b"\x7fELF\x01\x01\x01".ljust(16, b"\0")
    header += struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0, 52, 0, 0, 52, 32, len(segments), 40, 0, 0)
    table = body = b""
    for address, data in segments:
        table += struct.pack("<8I", 1, offset + len(body), address, address, len(data), len(data), 5, 4)
        body += data
    path.write_bytes(header + table + body)
    return path


# holds every byte that the protocol must escape, and more than one packet's worth
CODE = bytes(range(256)) * 5


def test_flash_is_erased_written_and_read_back(tmp_path: Path) -> None:
    probe = Probe()
    probe.start()
    image = elf_file(tmp_path / "a.elf", [(FLASH, CODE), (FLASH + 0x1000, b"tail"), (0x20000010, b"ram")])
    assert LOADER["load"](probe.address, str(image)) == len(CODE) + 4 + 3
    assert probe.flash[: len(CODE)] == CODE
    assert probe.flash[0x1000:0x1004] == b"tail"
    assert probe.ram[0x10:0x13] == b"ram"
    done = probe.commands.index(b"vFlashDone")
    last_erase = max(at for at, name in enumerate(probe.commands) if name == b"vFlashErase")
    assert last_erase < probe.commands.index(b"vFlashWrite") < done


def test_flash_that_keeps_something_else_is_noticed(tmp_path: Path) -> None:
    probe = Probe(broken=True)
    probe.start()
    image = elf_file(tmp_path / "a.elf", [(FLASH, CODE)])
    with pytest.raises(LOADER["LoadError"], match="does not read back at 0x08000000"):
        LOADER["load"](probe.address, str(image))


@pytest.mark.parametrize("address", ["", "localhost", "host:", "host:http"])
def test_an_address_without_a_port_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(LOADER["LoadError"], match="must be HOST:PORT"):
        LOADER["load"](address, str(tmp_path / "a.elf"))


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.elf").write_bytes(b"nothing")
    with pytest.raises(LOADER["LoadError"], match="not a 32-bit ELF image"):
        LOADER["load"]("localhost:1", str(tmp_path / "a.elf"))
