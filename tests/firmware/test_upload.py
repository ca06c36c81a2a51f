"""Writing an image to a device, by a real load into QEMU's GDB server."""

from __future__ import annotations

import importlib.util
import random
import runpy
from pathlib import Path

import pytest

from edgegen.codegen.toolchain import run_pio
from edgegen.emulate.image import load_elf
from edgegen.errors import ToolError
from edgegen.targets import load_target
from tests.firmware.conftest import Device
from tests.firmware.demo import INPUT_SIZE, build_demo, expected_output, write_project

LOADER = runpy.run_path(
    str(Path(__file__).parents[2] / "edgegen" / "firmware" / "platform" / "support" / "gdb_load.py")
)


def test_an_uploaded_image_runs_on_the_device(tmp_path: Path, empty_device: Device) -> None:
    target = load_target("cortex-m4")
    vectors = random.Random(5).randbytes(INPUT_SIZE * 7)
    (empty_device.folder / "vectors.bin").write_bytes(vectors)
    image = load_elf(build_demo(tmp_path / "my pröject", target))
    ran = run_pio(
        tmp_path / "my pröject",
        target.name,
        targets=["upload"],
        upload_protocol="gdb",
        upload_port=empty_device.address,
    )
    written = sum(len(segment.data) for segment in image.segments)
    assert f"{written} bytes written and verified" in ran.text
    assert empty_device.process.wait(timeout=20) == 0
    assert (empty_device.folder / "results.bin").read_bytes() == expected_output(vectors)


def test_without_a_server_the_message_says_what_to_start(tmp_path: Path) -> None:
    target = load_target("cortex-m4")
    write_project(tmp_path, target)
    with pytest.raises(ToolError, match=r"no GDB server answers at 127\.0\.0\.1:9"):
        run_pio(tmp_path, target.name, targets=["upload"], upload_protocol="gdb", upload_port="127.0.0.1:9")


def test_without_pyocd_the_message_says_how_to_get_it(tmp_path: Path) -> None:
    if importlib.util.find_spec("pyocd") is not None:
        pytest.skip("pyOCD is installed")
    target = load_target("cortex-m4")
    write_project(tmp_path, target)
    with pytest.raises(ToolError, match=r"pyOCD is missing; try: .* -m pip install pyocd"):
        run_pio(tmp_path, target.name, targets=["upload"])


def test_a_target_without_a_device_says_so(tmp_path: Path) -> None:
    target = load_target("wasm32-wasi")
    write_project(tmp_path, target)
    with pytest.raises(ToolError, match="`wasm_gateway` is nothing to upload to"):
        run_pio(tmp_path, target.name, targets=["upload"])


@pytest.mark.parametrize(
    ("sent", "payload"),
    [(b"OK", b"OK"), (b"0*(1", b"0" * 12 + b"1"), (b"}\x03", b"#"), (b"a}]b", b"a}b"), (b"", b"")],
)
def test_replies_are_unescaped(sent: bytes, payload: bytes) -> None:
    assert LOADER["unescaped"](sent) == payload
