"""Emitted projects build anywhere, offline, and to the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from edgegen.codegen.toolchain import QUIET, cache_folder, run_pio
from edgegen.emulate import sizes
from edgegen.errors import ToolError
from edgegen.targets import load_target
from tests.firmware.demo import MODEL, build_demo, image_of, write_project

TARGETS = ["cortex-m4", "cortex-a53", "wasm32-wasi", "host"]
CROSS_GCC = {"cortex-m4": "arm-none-eabi-gcc", "cortex-a53": "aarch64-linux-gnu-gcc", "host": "gcc"}


@pytest.mark.parametrize("name", TARGETS)
def test_two_folders_give_the_same_bytes(name: str, tmp_path: Path) -> None:
    target = load_target(name)
    plain = build_demo(tmp_path / "a", target)
    odd = build_demo(tmp_path / "spaces and ünïcode" / "deeper", target)
    assert plain.read_bytes() == odd.read_bytes()
    assert str(tmp_path).encode() not in plain.read_bytes()


@pytest.mark.parametrize("name", list(CROSS_GCC))
def test_gcc_gives_the_same_bytes_in_two_folders(name: str, tmp_path: Path) -> None:
    if shutil.which(CROSS_GCC[name]) is None:
        pytest.skip(f"{CROSS_GCC[name]} is not installed")
    target = load_target(name)
    plain = build_demo(tmp_path / "a", target, compiler="gcc")
    odd = build_demo(tmp_path / "ü b", target, compiler="gcc")
    assert plain.read_bytes() == odd.read_bytes()


def test_plain_pio_run_needs_neither_edgegen_nor_a_home_nor_a_network(tmp_path: Path) -> None:
    target = load_target("cortex-m4")
    project = write_project(tmp_path / "project", target)
    poison = tmp_path / "poison"
    poison.mkdir()
    (poison / "edgegen.py").write_text("raise SystemExit('edgegen is not installed')\n", encoding="utf-8")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path / "home"),
        "PYTHONPATH": str(poison),
        "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig"),  # only to save time
        # nothing listens there: whoever asks a server fails
        "http_proxy": "http://127.0.0.1:9",
        "https_proxy": "http://127.0.0.1:9",
        **QUIET,
    }
    command = [sys.executable, "-m", "platformio", "run"]
    done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert image_of(project, target).read_bytes() == build_demo(tmp_path / "b", target).read_bytes()


def test_an_interpreter_in_an_odd_folder(tmp_path: Path) -> None:
    folder = tmp_path / "Jörg Müller"
    folder.mkdir()
    try:
        (folder / "venv").symlink_to(Path(sys.prefix), target_is_directory=True)
    except OSError:
        pytest.skip("this system lets nobody make links")
    interpreter = folder / "venv" / Path(sys.executable).relative_to(sys.prefix)
    target = load_target("cortex-m4")
    project = write_project(tmp_path / "project", target)
    environment = {**os.environ, **QUIET, "ZIG_GLOBAL_CACHE_DIR": str(cache_folder() / "zig")}
    environment["PLATFORMIO_CORE_DIR"] = str(tmp_path / "core")
    command = [str(interpreter), "-m", "platformio", "run", "-v"]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Jörg Müller" in done.stdout


def test_the_size_check_speaks_of_the_budget(tmp_path: Path) -> None:
    target = load_target("cortex-m4").with_budget(ram=20_000, flash=60_000)
    project = write_project(tmp_path / "spaces and ünïcode", target)
    said = run_pio(project, target.name).text
    found = sizes(image_of(project, target), target)
    assert f"(used {found.ram} bytes from 20000 bytes)" in said
    assert f"(used {found.flash} bytes from 60000 bytes)" in said


def test_a_moved_project_still_builds(tmp_path: Path) -> None:
    target = load_target("cortex-m4")
    before = build_demo(tmp_path / "before", target).read_bytes()
    (tmp_path / "before").rename(tmp_path / "after")
    run_pio(tmp_path / "after", target.name)
    assert image_of(tmp_path / "after", target).read_bytes() == before


def test_a_second_build_changes_nothing_and_an_edit_is_seen(tmp_path: Path) -> None:
    target = load_target("cortex-m4")
    image = build_demo(tmp_path / "p", target)
    first, time = image.read_bytes(), image.stat().st_mtime_ns
    run_pio(tmp_path / "p", target.name)
    assert image.stat().st_mtime_ns == time
    source = tmp_path / "p" / "lib" / "demo" / "src" / "demo.c"
    source.write_text(MODEL.replace("{1, 2, 3", "{1, 2, 4"), encoding="utf-8")
    run_pio(tmp_path / "p", target.name)
    assert image.read_bytes() != first


def test_warnings_of_the_model_are_errors_and_are_shown(tmp_path: Path) -> None:
    sloppy = MODEL.replace("(int8_t)(value > 127", "(value > 127")
    with pytest.raises(ToolError, match=r"demo\.c:\d+:\d+: error: implicit conversion"):
        build_demo(tmp_path, load_target("cortex-m4"), model=sloppy)


def test_an_image_beyond_its_ram_does_not_link(tmp_path: Path) -> None:
    target = load_target("cortex-m4").with_budget(ram=16 << 10)
    greedy = MODEL.replace("sums[16]", "sums[16000]")
    with pytest.raises(ToolError, match=r"(?s)RAM.*overflowed by"):
        build_demo(tmp_path, target, model=greedy)


def test_an_image_beyond_its_flash_does_not_link(tmp_path: Path) -> None:
    target = load_target("cortex-m4").with_budget(flash=1024)
    with pytest.raises(ToolError, match=r"(?s)FLASH.*overflowed by"):
        build_demo(tmp_path, target)


def test_a_wasm_image_beyond_its_memory_does_not_link(tmp_path: Path) -> None:
    target = load_target("wasm32-wasi").with_budget(ram=64 << 10)
    greedy = MODEL.replace("sums[16]", "sums[160000]")
    with pytest.raises(ToolError, match="memory"):
        build_demo(tmp_path, target, model=greedy)


def test_a_compiler_that_a_target_lacks_is_named(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="compiler `gcc` does not build wasm32-wasi; usable: zig"):
        build_demo(tmp_path, load_target("wasm32-wasi"), compiler="gcc")
