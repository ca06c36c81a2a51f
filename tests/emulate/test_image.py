"""Sizes and symbols of images; damaged files end in a message."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edgegen.emulate import sizes, wasm_module
from edgegen.emulate.image import load_elf
from edgegen.errors import ToolError
from edgegen.targets import load_target
from tests.emulate.conftest import ImageBuilder
from tests.firmware.demo import INPUT_SIZE, MODEL, OUTPUT_SIZE

QUICK = settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
BIGGER = MODEL.replace("sums[16]", "sums[116]").replace("memset(sums, 0, sizeof sums)", "memset(sums, 0, 64)")


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
def test_sizes_of_a_microcontroller_image(compiler: str, built: ImageBuilder) -> None:
    target = load_target("cortex-m4")
    found = sizes(built("cortex-m4", compiler=compiler), target)
    assert found.stack == target.budget.stack_bytes
    assert found.ram == found.stack + found.data + found.bss
    assert found.flash == found.code + found.constants + found.data
    names = {symbol.name: symbol for symbol in found.symbols}
    assert names["sums"].size == 64
    assert names["weights"].size == 16
    assert names["demo_invoke"].kind == "code"
    assert INPUT_SIZE + OUTPUT_SIZE <= found.harness_bss < INPUT_SIZE + OUTPUT_SIZE + 32
    assert list(found.symbols) == sorted(found.symbols, key=lambda s: (-s.size, s.name))


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-a53"])
def test_a_larger_array_is_seen(name: str, built: ImageBuilder) -> None:
    target = load_target(name)
    small, large = sizes(built(name), target), sizes(built(name, model=BIGGER), target)
    assert large.bss - small.bss == 400
    assert large.constants == small.constants


def test_sizes_of_a_wasm_module(built: ImageBuilder) -> None:
    target = load_target("wasm32-wasi")
    image = built("wasm32-wasi")
    found = sizes(image, target)
    assert found.flash == image.stat().st_size
    assert found.ram == 64 << 10
    assert found.stack == target.budget.stack_bytes
    assert "demo_invoke" in {symbol.name for symbol in found.symbols}


def test_a_wasm_module_has_its_stack_below_its_data(built: ImageBuilder) -> None:
    module = wasm_module.read(built("wasm32-wasi"))
    assert module.stack_first
    assert module.data_start is not None


def test_a_program_counter_is_described(built: ImageBuilder) -> None:
    image = load_elf(built("cortex-m4"))
    address = image.address_of("demo_invoke")
    assert image.describe(address + 6) == f"0x{address + 6:08x} (demo_invoke+0x6)"
    assert image.describe(0x30000000) == "0x30000000 (in no function)"
    with pytest.raises(ToolError, match="symbol nothing is missing"):
        image.address_of("nothing")


@QUICK
@given(cut=st.integers(min_value=0, max_value=4000))
def test_a_cut_off_wasm_module_is_a_message(cut: int, built: ImageBuilder, tmp_path: Path) -> None:
    whole = built("wasm32-wasi").read_bytes()
    damaged = tmp_path / "cut.wasm"
    damaged.write_bytes(whole[: cut % len(whole)])
    try:
        wasm_module.read(damaged)
    except ToolError as problem:
        assert "cut.wasm" in str(problem)


@QUICK
@given(
    cut=st.integers(min_value=0), flips=st.lists(st.tuples(st.integers(0), st.integers(1, 255)), max_size=3)
)
def test_a_damaged_elf_file_is_a_message(
    cut: int, flips: list[tuple[int, int]], built: ImageBuilder, tmp_path: Path
) -> None:
    content = bytearray(built("cortex-m4").read_bytes())
    for at, change in flips:
        content[at % len(content)] ^= change
    damaged = tmp_path / "damaged.elf"
    damaged.write_bytes(content[: cut % len(content) if cut else len(content)])
    try:
        load_elf(damaged)
        sizes(damaged, load_target("cortex-m4"))
    except ToolError as problem:
        assert "damaged.elf" in str(problem)


def test_an_image_of_another_kind_is_a_message(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"MZ nothing")
    with pytest.raises(ToolError, match="is not an ELF file"):
        load_elf(other)
    with pytest.raises(ToolError, match="is not a wasm module"):
        wasm_module.read(other)
