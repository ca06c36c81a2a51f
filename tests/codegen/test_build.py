"""The pipeline: projects that are the same everywhere, fit their budget and build without edgegen."""

from __future__ import annotations

import dataclasses
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from edgegen.codegen import assembly as assembly_module
from edgegen.codegen.build import BuildOptions, build
from edgegen.codegen.project import LABELS, VECTORS, read_manifest
from edgegen.codegen.toolchain import QUIET
from edgegen.errors import BudgetError, MismatchError, ToolError, UsageError
from edgegen.targets import list_targets, load_target
from tests.codegen.models import build_project, cnn, several_ports, source_of, stateful

TARGETS = [target.name for target in list_targets()]


def files(folder: Path) -> dict[str, bytes]:
    """Everything that edgegen wrote, and the image."""
    return {
        place.relative_to(folder).as_posix(): place.read_bytes()
        for place in folder.rglob("*")
        if place.is_file() and (".pio" not in place.parts or place.name.startswith("firmware"))
    }


@pytest.mark.parametrize("target", TARGETS)
def test_builds_in_two_folders_are_the_same_bytes(target: str, tmp_path: Path) -> None:
    first = build_project(cnn(), tmp_path / "one", target)
    second = build_project(cnn(), tmp_path / "two with spaces, ä" / "deep", target)
    assert first.vectors == 16
    assert first.bytes_compared == 16 * 5
    mine, theirs = files(first.folder), files(second.folder)
    assert mine.keys() == theirs.keys()
    assert [place for place in mine if mine[place] != theirs[place]] == []
    assert read_manifest(first.folder).image is not None


@pytest.mark.parametrize("graph", [several_ports(), stateful()], ids=lambda graph: graph.name)
@pytest.mark.parametrize("target", ["cortex-m4", "wasm32-wasi"])
def test_several_ports_and_state(graph: object, target: str, tmp_path: Path) -> None:
    report = build_project(graph, tmp_path, target)  # type: ignore[arg-type]
    assert report.vectors == 16
    assert report.manifest.state_bytes == (8 if target == "cortex-m4" else 16) * (
        report.manifest.model == "counter"
    )


def test_a_second_build_is_quick_and_compiles_nothing(tmp_path: Path) -> None:
    first = build_project(cnn(), tmp_path, verify=False)
    stamp = first.image.stat().st_mtime_ns
    start = time.monotonic()
    second = build_project(cnn(), tmp_path, verify=False)
    assert second.image.stat().st_mtime_ns == stamp
    assert time.monotonic() - start < 30


def test_the_measured_stack_is_in_the_header_and_stays_there(tmp_path: Path) -> None:
    first = build_project(cnn(), tmp_path, "cortex-m4")
    header = first.folder / "lib" / "small_net" / "include" / "small_net.h"
    assert first.sizes.stack_bytes is not None
    assert f"#define SMALL_NET_STACK_SIZE {first.sizes.stack_bytes} " in header.read_text(encoding="utf-8")
    stamp = header.stat().st_mtime_ns
    build_project(cnn(), tmp_path, "cortex-m4")
    assert header.stat().st_mtime_ns == stamp


def test_evaluation_samples_go_into_the_project(tmp_path: Path) -> None:
    samples = np.random.default_rng(0).integers(-128, 128, (40, 6, 6, 2)).astype(np.int8)
    source = dataclasses.replace(source_of(cnn()), inputs=samples, labels=np.arange(40) % 5)
    report = build(source, load_target("host"), tmp_path, options=BuildOptions())
    assert report.manifest.stored_vectors == 40
    assert (report.folder / VECTORS).read_bytes() == samples.tobytes()
    assert (report.folder / LABELS).read_bytes() == (np.arange(40) % 5).astype("<i4").tobytes()


# Budgets -----------------------------------------------------------------------------------------------


def test_too_little_ram_names_buffers_and_writes_nothing(tmp_path: Path) -> None:
    target = load_target("cortex-m4").with_budget(ram=1024, stack=800)
    with pytest.raises(BudgetError, match=r"small net does not fit cortex-m4:") as caught:
        build(source_of(cnn()), target, tmp_path, options=BuildOptions())
    assert "too many; the largest: 's" in str(caught.value)
    assert "of 1024 bytes of RAM" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_too_little_flash_names_layers_and_writes_nothing(tmp_path: Path) -> None:
    target = load_target("cortex-m4").with_budget(flash=512)
    with pytest.raises(
        BudgetError, match=r"constants take \d+ bytes of 512 bytes of flash, \d+ too many"
    ) as caught:
        build(source_of(cnn()), target, tmp_path, options=BuildOptions())
    assert "conv2d 'inner'" in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_both_at_once(tmp_path: Path) -> None:
    target = load_target("cortex-m4").with_budget(flash=512, ram=1024, stack=800)
    with pytest.raises(BudgetError) as caught:
        build(source_of(cnn()), target, tmp_path, options=BuildOptions())
    assert str(caught.value).count("\n  - ") == 2


@pytest.mark.parametrize("target", ["cortex-m4", "cortex-a53", "wasm32-wasi"])
def test_code_counts_too(target: str, tmp_path: Path) -> None:
    """The constants fit, the image does not."""
    chosen = load_target(target).with_budget(flash=3000)
    with pytest.raises(BudgetError, match=r"flash|FLASH"):
        build(source_of(cnn()), chosen, tmp_path, options=BuildOptions())


# Failures ----------------------------------------------------------------------------------------------


def test_a_compiler_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = assembly_module.emit

    def broken(source: object) -> object:
        emission = real(source)  # type: ignore[arg-type]
        place = next(place for place in emission.files if place.name == "small_net.c")
        return dataclasses.replace(emission, files={**emission.files, place: b"int broken("})

    monkeypatch.setattr(assembly_module, "emit", broken)
    with pytest.raises(ToolError, match=r"small_net\.c.*error"):
        build_project(cnn(), tmp_path)


def test_an_image_that_computes_something_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = assembly_module.emit

    def broken(source: object) -> object:
        emission = real(source)  # type: ignore[arg-type]
        place = next(place for place in emission.files if place.name == "small_net_max_pool2d.c")
        text = emission.files[place].decode().replace("p->kernel_w", "1")
        assert text != emission.files[place].decode()
        return dataclasses.replace(emission, files={**emission.files, place: text.encode()})

    monkeypatch.setattr(assembly_module, "emit", broken)
    with pytest.raises(MismatchError, match="host: the emulated image differs from the reference in vector"):
        build_project(cnn(), tmp_path)


@pytest.mark.skipif(
    os.name == "nt" or getattr(os, "geteuid", lambda: 1)() == 0, reason="root writes everywhere"
)
def test_a_read_only_output_folder(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(UsageError, match="cannot write the project"):
        build_project(cnn(), tmp_path / "out")


def test_an_output_folder_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write the project"):
        build_project(cnn(), tmp_path / "file" / "out")


# Without edgegen ---------------------------------------------------------------------------------------


def test_the_project_builds_where_edgegen_is_not_installed(tmp_path: Path) -> None:
    report = build_project(cnn(), tmp_path / "here", "cortex-m4")
    copy = tmp_path / "elsewhere" / "project"
    shutil.copytree(report.folder, copy, ignore=shutil.ignore_patterns(".pio"))
    site = tmp_path / "hidden"
    site.mkdir()
    # a package of this name that cannot be imported, before the real one
    (site / "edgegen.py").write_text("raise ImportError('edgegen is not installed')", encoding="utf-8")
    environment = {
        **os.environ,
        **QUIET,
        "PYTHONPATH": str(site),
        "PLATFORMIO_CORE_DIR": str(tmp_path / "core"),
    }
    command = [sys.executable, "-m", "platformio", "run", "-d", str(copy)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    built = copy / ".pio" / "build" / "cortex-m4" / "firmware.elf"
    assert built.read_bytes() == report.image.read_bytes()
