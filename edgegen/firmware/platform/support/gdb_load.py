"""Write an ELF image through any GDB server (OpenOCD, pyOCD, J-Link, Black Magic Probe, QEMU) and check it.

    python gdb_load.py HOST:PORT firmware.elf

Speaks the remote protocol itself ("GDB Remote Serial Protocol" in the GDB manual), so that no gdb for the
target's architecture is needed. Only the standard library: this file runs where edgegen is not installed.
"""

from __future__ import annotations

import re
import socket
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

PT_LOAD = 1
CHUNK = 512
CONNECT_SECONDS = 5
REPLY_SECONDS = 30


class LoadError(Exception):
    """The server is not there, or refused something."""


class Server:
    """One connection: packets out, replies in."""

    def __init__(self, host: str, port: int) -> None:
        try:
            self._socket = socket.create_connection((host, port), timeout=CONNECT_SECONDS)
        except OSError as problem:
            raise LoadError(
                f"no GDB server answers at {host}:{port} ({problem}); "
                "start one (openocd, pyocd gdbserver, ...) or give its address with --upload-port HOST:PORT"
            ) from None
        self._socket.settimeout(REPLY_SECONDS)
        self._buffer = b""

    def close(self) -> None:
        self._socket.close()

    def ask(self, payload: bytes) -> bytes:
        """Send one packet and return the reply's payload, unescaped."""
        return self.ask_aloud(payload)[0]

    def ask_aloud(self, payload: bytes) -> tuple[bytes, bytes]:
        """The same, with the console output that the server sends before its reply."""
        self._send(payload)
        said = b""
        while True:
            reply = self._packet()
            if not reply.startswith(b"O") or reply == b"OK":
                return reply, said
            said += bytes.fromhex(reply[1:].decode())

    def _send(self, payload: bytes) -> None:
        body = b"".join(b"}" + bytes([byte ^ 32]) if byte in b"#$}*" else bytes([byte]) for byte in payload)
        self._socket.sendall(b"$" + body + b"#%02x" % (sum(body) & 255))

    def _packet(self) -> bytes:
        while True:
            match = re.search(rb"\$([^#]*)#..", self._buffer, re.DOTALL)
            if match:
                self._buffer = self._buffer[match.end() :]
                self._socket.sendall(b"+")
                return unescaped(match.group(1))
            try:
                more = self._socket.recv(65536)
            except OSError as problem:
                raise LoadError(f"the GDB server stopped answering ({problem})") from None
            if not more:
                raise LoadError("the GDB server closed the connection")
            self._buffer += more


def unescaped(body: bytes) -> bytes:
    """Undo run-length encoding (`*` and a count) and escapes (`}` and a flipped byte)."""
    out = bytearray()
    at = 0
    while at < len(body):
        if body[at] == ord("}"):
            out.append(body[at + 1] ^ 32)
            at += 2
        elif body[at] == ord("*"):
            out += bytes([out[-1]]) * (body[at + 1] - 29)
            at += 2
        else:
            out.append(body[at])
            at += 1
    return bytes(out)


def segments(path: str) -> list[tuple[int, bytes]]:
    """(load address, bytes) of everything that a loader writes."""
    data = Path(path).read_bytes()
    if data[:5] != b"\x7fELF\x01":
        raise LoadError(f"{path} is not a 32-bit ELF image")
    offset = struct.unpack_from("<I", data, 28)[0]
    size, count = struct.unpack_from("<HH", data, 42)
    found = []
    for index in range(count):
        kind, start, _virtual, physical, length = struct.unpack_from("<IIIII", data, offset + index * size)
        if kind == PT_LOAD and length:
            found.append((physical, data[start : start + length]))
    return found


def flash_regions(server: Server) -> list[tuple[int, int]]:
    """(start, end) of the flash that the server says needs erasing; none if it does not say."""
    text = b""
    while True:
        reply = server.ask(b"qXfer:memory-map:read::%x,fff" % len(text))
        if reply[:1] not in (b"m", b"l"):
            return []
        text += reply[1:]
        if reply[:1] == b"l" or len(reply) == 1:
            break
    found = []
    for tag in re.findall(rb"<memory\b[^>]*>", text):
        values = dict(re.findall(rb'(\w+)\s*=\s*"([^"]*)"', tag))
        if values.get(b"type") == b"flash":
            start = int(values[b"start"], 0)
            found.append((start, start + int(values[b"length"], 0)))
    return found


def expect_ok(server: Server, packet: bytes, what: str) -> None:
    reply = server.ask(packet)
    if reply != b"OK":
        answer = reply.decode("ascii", "replace") or "nothing: not supported"
        raise LoadError(f"the GDB server refused to {what} (answer: {answer})")


def chunks(address: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    for at in range(0, len(data), CHUNK):
        yield address + at, data[at : at + CHUNK]


def write(server: Server, image: list[tuple[int, bytes]]) -> None:
    flash = flash_regions(server)
    in_flash = [part for part in image if any(start <= part[0] < end for start, end in flash)]
    for address, data in in_flash:
        expect_ok(server, b"vFlashErase:%x,%x" % (address, len(data)), f"erase flash at 0x{address:08x}")
    for address, data in in_flash:
        for at, part in chunks(address, data):
            expect_ok(server, b"vFlashWrite:%x:" % at + part, f"write flash at 0x{at:08x}")
    if in_flash:
        expect_ok(server, b"vFlashDone", "finish writing flash")
    for address, data in image:
        if (address, data) in in_flash:
            continue
        for at, part in chunks(address, data):
            expect_ok(
                server, b"M%x,%x:" % (at, len(part)) + part.hex().encode(), f"write memory at 0x{at:08x}"
            )


def verify(server: Server, image: list[tuple[int, bytes]]) -> None:
    for address, data in image:
        for at, part in chunks(address, data):
            if server.ask(b"m%x,%x" % (at, len(part))) != part.hex().encode():
                raise LoadError(f"what was written does not read back at 0x{at:08x}..0x{at + len(part):08x}")


def restart(server: Server) -> None:
    """Let the device start with the new program. Servers name the command as they like; some have none."""
    for command in (b"reset", b"system_reset"):  # the second is QEMU's
        reply, said = server.ask_aloud(b"qRcmd," + command.hex().encode())
        if reply == b"OK" and b"unknown command" not in said:
            return


def program(server: Server, image: list[tuple[int, bytes]]) -> None:
    server.ask(b"qSupported:hwbreak+")
    server.ask(b"?")
    write(server, image)
    verify(server, image)
    restart(server)
    server.ask(b"D")


def load(address: str, path: str) -> int:
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        raise LoadError(f"the port must be HOST:PORT, got `{address}`")
    image = segments(path)
    server = Server(host or "localhost", int(port))
    try:
        program(server, image)
    finally:
        server.close()
    return sum(len(data) for _, data in image)


def main(arguments: list[str]) -> int:
    try:
        written = load(*arguments)
    except LoadError as problem:
        sys.stderr.write(f"Error: {problem}\n")
        return 1
    sys.stdout.write(f"{written} bytes written and verified\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
