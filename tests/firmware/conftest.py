"""Fixtures that start and end processes."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

QUIET = ["-display", "none", "-monitor", "none", "-serial", "none"]
SEMIHOSTING = ["-semihosting-config", "enable=on,target=native"]


@dataclass(frozen=True)
class Device:
    """A Cortex-M4 machine with nothing in its flash; it stands still until a debugger lets it go."""

    address: str
    folder: Path
    process: subprocess.Popen[bytes]


@pytest.fixture
def empty_device(tmp_path: Path) -> Iterator[Device]:
    """QEMU with a GDB server; the folder is where the program finds its files."""
    program = shutil.which("qemu-system-arm")
    if program is None:
        pytest.skip("qemu-system-arm is not installed")
    folder = tmp_path / "device"
    folder.mkdir()
    port = free_port()
    command = [program, "-M", "mps2-an386", *QUIET, *SEMIHOSTING, "-S", "-gdb", f"tcp:127.0.0.1:{port}"]
    process = subprocess.Popen(command, cwd=folder)
    try:
        wait_for_port(port)
        yield Device(f"127.0.0.1:{port}", folder, process)
    finally:
        process.terminate()
        process.wait(timeout=10)


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for_port(port: int) -> None:
    """Until something listens; a connection would count as the debugger, so only try to bind."""
    for _ in range(200):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return
        time.sleep(0.05)
    raise TimeoutError(f"nothing listens on port {port}")
