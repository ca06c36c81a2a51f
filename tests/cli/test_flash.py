"""`edgegen flash`: a real load into an emulated device, and messages where that cannot be."""

from __future__ import annotations

from pathlib import Path

from edgegen.codegen.project import VECTORS
from tests.cli.command_line import CommandLine, write_tiny
from tests.firmware.conftest import Device


def test_a_built_project_is_loaded_and_runs(
    edgegen: CommandLine, tmp_path: Path, empty_device: Device
) -> None:
    write_tiny(tmp_path)
    assert edgegen("build", "--target", "cortex-m4", "--quiet").status == 0
    project = tmp_path / "build" / "tiny" / "cortex-m4"
    vectors = (project / VECTORS).read_bytes()
    (empty_device.folder / "vectors.bin").write_bytes(vectors)
    ran = edgegen("flash", "--target", "cortex-m4", "--protocol", "gdb", "--port", empty_device.address)
    assert ran.status == 0, ran.err
    assert "flashed" in ran.out
    assert empty_device.process.wait(timeout=20) == 0
    results = (empty_device.folder / "results.bin").read_bytes()
    expected = (project / "test" / "expected.bin").read_bytes()
    assert results[: len(expected)] == expected
    assert len(results) == 30 * 3


def test_without_a_probe(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    assert edgegen("build", "--target", "cortex-m4", "--quiet").status == 0
    message = edgegen.fails(5, "flash", "--target", "cortex-m4", "--protocol", "gdb", "--port", "127.0.0.1:9")
    assert "no GDB server answers at 127.0.0.1:9" in message


def test_another_board_than_it_was_built_for(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    assert edgegen("build", "--target", "cortex-m4", "--quiet").status == 0
    message = edgegen.fails(2, "flash", "--target", "cortex-m4", "--board", "nrf52840_dk")
    assert "was built for the board cortex_m4_generic" in message
    assert "edgegen build --target cortex-m4 --board nrf52840_dk" in message
