"""Targets are folders, and say what goes into a project."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.emulate import run
from edgegen.errors import UsageError
from edgegen.targets import list_targets, load_target, parse_size, project_files, target

NAMES = ["cortex-a53", "cortex-m4", "host", "wasm32-wasi"]


def test_targets_are_listed_by_name() -> None:
    assert [found.name for found in list_targets()] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_emulator_of_a_target_is_a_module(name: str) -> None:
    for choice in load_target(name).emulators:
        assert (Path(run.__file__).parent / f"{choice.module}.py").is_file()


def test_default_budget_of_the_microcontroller() -> None:
    budget = load_target("cortex-m4").budget
    assert (budget.flash_bytes, budget.ram_bytes, budget.stack_bytes) == (1 << 20, 128 << 10, 8 << 10)


def test_default_budget_of_the_gateway() -> None:
    assert load_target("wasm32-wasi").budget.memory_bytes == 8 << 20


def test_another_board_brings_its_budget() -> None:
    chosen = load_target("cortex-m4", board="nrf52840_dk")
    assert chosen.board.id == "nrf52840_dk"
    assert chosen.budget.ram_bytes == 256 << 10


def test_an_unknown_target_names_the_nearest_and_all() -> None:
    with pytest.raises(UsageError) as caught:
        load_target("cortex-m5")
    assert "did you mean cortex-m4?" in str(caught.value)
    assert all(name in str(caught.value) for name in NAMES)


@pytest.mark.parametrize("name", ["", "..", "../targets/host", "CORTEX-M4 "])
def test_no_name_leads_out_of_the_folder(name: str) -> None:
    with pytest.raises(UsageError):
        load_target(name)


def test_an_unknown_board_and_emulator_name_the_known_ones() -> None:
    chosen = load_target("cortex-m4")
    with pytest.raises(UsageError, match=r"did you mean nrf52840_dk\?"):
        chosen.with_board("nrf52840dk")
    with pytest.raises(UsageError, match="unicorn, qemu"):
        chosen.emulator("bochs")


def test_the_first_emulator_is_the_default() -> None:
    assert load_target("cortex-m4").emulator().name == "unicorn"
    assert load_target("cortex-m4").emulator("qemu").module == "qemu_system"


def test_a_budget_can_be_set_in_parts() -> None:
    smaller = load_target("cortex-m4").with_budget(ram=64 << 10)
    assert smaller.budget.ram_bytes == 64 << 10
    assert smaller.budget.flash_bytes == 1 << 20


def test_a_stack_that_leaves_no_ram_is_refused() -> None:
    with pytest.raises(UsageError, match="stack of 8192 bytes does not fit in 4096 bytes of RAM"):
        load_target("cortex-m4").with_budget(ram=4096)


@pytest.mark.parametrize(
    ("text", "size"),
    [("65536", 65536), ("64K", 65536), ("64 KiB", 65536), ("64kb", 65536), ("1M", 1 << 20), ("0x100", 256)],
)
def test_sizes_are_read(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "K", "-1", "1.5M", "12Q", "0", "64 K B", "0xK"])
def test_other_sizes_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="--ram: expected"):
        parse_size(text, option="--ram")


@given(st.text(max_size=8))
def test_any_text_is_a_size_or_a_usage_error(text: str) -> None:
    with suppress(UsageError):
        assert parse_size(text) > 0


def test_a_new_folder_is_a_new_target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(target.FOLDER / "cortex-m4", tmp_path / "cortex-m33")
    monkeypatch.setattr(target, "FOLDER", tmp_path)
    assert [found.name for found in list_targets()] == ["cortex-m33"]
    assert load_target("cortex-m33").word_bytes == 4


@pytest.mark.parametrize("name", NAMES)
def test_project_files_exist_and_have_a_fixed_order(name: str) -> None:
    files = project_files(load_target(name))
    assert list(files) == sorted(files)
    assert all(source.is_file() for source in files.values())
    assert PurePosixPath("src/main.c") in files
    assert PurePosixPath(f"platform/support/{name}/io.c") in files
    assert PurePosixPath("platform/builder/main.py") in files
    assert not any("__pycache__" in place.parts for place in files)


def test_a_project_holds_files_of_its_own_target_only() -> None:
    places = {str(place) for place in project_files(load_target("wasm32-wasi"))}
    assert not any("cortex" in place for place in places)
