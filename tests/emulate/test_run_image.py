"""All emulators agree with each other and with Python, and name what goes wrong."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from edgegen.emulate import read_trace, run_image
from edgegen.errors import MismatchError, ToolError, UsageError
from edgegen.targets import list_targets, load_target
from tests.emulate.conftest import ImageBuilder
from tests.firmware.demo import (
    INPUT_SIZE,
    MODEL,
    OUTPUT_SIZE,
    build_demo,
    expected_output,
    expected_sums,
)

VECTORS = random.Random(7).randbytes(INPUT_SIZE * 25)
EMULATORS = [(target.name, choice.name) for target in list_targets() for choice in target.emulators]
PROGRAMS = {
    ("cortex-m4", "qemu"): "qemu-system-arm",
    ("cortex-a53", "qemu"): "qemu-aarch64",
    ("wasm32-wasi", "node"): "node",
}

# The first input byte says which mistake to make.
MISTAKES = """\
#include "demo.h"
static int8_t small[16];
static volatile int32_t never;
static int deeper(volatile int8_t *above, int depth)
{
    volatile int8_t here[512];
    here[0] = above[0];
    return depth == 0 ? here[0] : deeper(here, depth - 1) + here[0];
}
void demo_reset_state(void)
{
}
int demo_invoke(const int8_t *in, int8_t *out)
{
    static const int8_t constant[16] = {1, 2, 3, 4, 5, 6, 7, 8};
    volatile int8_t local[1000];
    local[0] = local[999] = in[1];
    if (in[0] == 1) {
        *(volatile int8_t *)(uintptr_t)&constant[in[1]] = 5;
    }
    if (in[0] == 2) {
        for (volatile int8_t *at = small;; at += 256) {
            *at = 1;
        }
    }
    if (in[0] == 3) {
        return deeper(local, 100000);
    }
    while (in[0] == 4) {
        never = never + 1;
    }
    if (in[0] == 5) {
        return -3;
    }
    if (in[0] == 6) {
        __builtin_trap();
    }
    for (int i = 0; i < 4; i++) {
        out[i] = (int8_t)(in[i] + local[999] + constant[i]);
    }
    return 0;
}
"""
FLASH, RAM, STACK, LOOP, ERROR, TRAP = range(1, 7)


def skip_without(name: str, emulator: str) -> None:
    program = PROGRAMS.get((name, emulator))
    if program is not None and shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def mistake(kind: int) -> bytes:
    return bytes([kind, *range(1, INPUT_SIZE)])


def run_mistake(built: ImageBuilder, name: str, emulator: str, kind: int, *, timeout_s: float = 20.0) -> None:
    skip_without(name, emulator)
    image = built(name, model=MISTAKES)
    run_image(
        image,
        load_target(name),
        mistake(kind),
        output_size=OUTPUT_SIZE,
        emulator=emulator,
        timeout_s=timeout_s,
    )


@pytest.mark.parametrize(("name", "emulator"), EMULATORS)
def test_every_emulator_computes_what_python_computes(name: str, emulator: str, built: ImageBuilder) -> None:
    skip_without(name, emulator)
    result = run_image(
        built(name),
        load_target(name),
        VECTORS,
        output_size=OUTPUT_SIZE,
        input_size=INPUT_SIZE,
        emulator=emulator,
    )
    assert result.results == expected_output(VECTORS)
    assert result.exit_code == 0


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-a53", "host"])
def test_images_of_gcc_compute_the_same(name: str, built: ImageBuilder) -> None:
    result = run_image(built(name, compiler="gcc"), load_target(name), VECTORS, output_size=OUTPUT_SIZE)
    assert result.results == expected_output(VECTORS)


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-a53", "wasm32-wasi", "host"])
def test_no_vectors_give_no_results(name: str, built: ImageBuilder) -> None:
    result = run_image(built(name), load_target(name), b"", output_size=OUTPUT_SIZE, input_size=INPUT_SIZE)
    assert result.results == b""


@pytest.mark.parametrize(("name", "emulator"), EMULATORS)
def test_a_cut_off_vector_has_its_own_message(name: str, emulator: str, built: ImageBuilder) -> None:
    skip_without(name, emulator)
    with pytest.raises(MismatchError, match="status 12: the last input vector is cut off"):
        run_image(built(name), load_target(name), VECTORS[:-1], output_size=OUTPUT_SIZE, emulator=emulator)


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-a53", "wasm32-wasi", "host"])
def test_a_result_of_another_length_is_a_truncated_result(name: str, built: ImageBuilder) -> None:
    with pytest.raises(MismatchError, match="truncated result: expected 25 x 8 bytes, got 100"):
        run_image(built(name), load_target(name), VECTORS, output_size=8, input_size=INPUT_SIZE)


@pytest.mark.parametrize(("name", "emulator"), EMULATORS)
def test_an_error_of_the_model_is_named(name: str, emulator: str, built: ImageBuilder) -> None:
    with pytest.raises(MismatchError, match="status 13: the model returned an error"):
        run_mistake(built, name, emulator, ERROR)


@pytest.mark.parametrize(("name", "emulator"), EMULATORS)
def test_an_endless_loop_is_a_timeout(name: str, emulator: str, built: ImageBuilder) -> None:
    with pytest.raises(MismatchError, match=r"timeout: no end after 0\.5 seconds"):
        run_mistake(built, name, emulator, LOOP, timeout_s=0.5)


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-a53"])
def test_a_timeout_in_unicorn_says_where(name: str, built: ImageBuilder) -> None:
    with pytest.raises(MismatchError, match=r"it was at 0x[0-9a-f]+ \(demo_invoke\+0x"):
        run_mistake(built, name, "unicorn", LOOP, timeout_s=0.5)


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-a53"])
def test_a_write_to_constants_traps(name: str, built: ImageBuilder) -> None:
    with pytest.raises(
        MismatchError, match=r"fault: write to 0x[0-9a-f]+ \(1 bytes\) at 0x[0-9a-f]+ \(demo_in"
    ):
        run_mistake(built, name, "unicorn", FLASH)


def test_a_write_beyond_the_ram_budget_traps_at_its_end(built: ImageBuilder) -> None:
    with pytest.raises(
        MismatchError, match=r"fault: write to 0x200200[0-9a-f]{2} \(1 bytes\) at .*demo_invoke"
    ):
        run_mistake(built, "cortex-m4", "unicorn", RAM)


def test_a_budget_that_is_no_multiple_of_a_page_traps_at_its_end(built: ImageBuilder) -> None:
    target = load_target("cortex-m4").with_budget(ram=20_000)
    with pytest.raises(MismatchError, match=r"fault: write to 0x20004e[0-9a-f]{2}"):
        run_image(built("cortex-m4", model=MISTAKES), target, mistake(RAM), output_size=OUTPUT_SIZE)


@pytest.mark.parametrize(("name", "emulator"), [e for e in EMULATORS if e[0] != "host"])
def test_a_stack_overflow_traps(name: str, emulator: str, built: ImageBuilder) -> None:
    with pytest.raises(MismatchError, match="fault: "):
        run_mistake(built, name, emulator, STACK)


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-a53"])
def test_a_stack_overflow_in_unicorn_is_named(name: str, built: ImageBuilder) -> None:
    with pytest.raises(MismatchError, match=r"at 0x[0-9a-f]+ \(deeper.*stack overflow"):
        run_mistake(built, name, "unicorn", STACK)


def test_a_stack_overflow_under_qemu_is_named(built: ImageBuilder) -> None:
    with pytest.raises(MismatchError, match=r"fault: .*stack overflow, sp=0x1fff"):
        run_mistake(built, "cortex-m4", "qemu", STACK)


@pytest.mark.parametrize(("name", "emulator"), EMULATORS)
def test_an_illegal_instruction_is_a_fault(name: str, emulator: str, built: ImageBuilder) -> None:
    with pytest.raises(MismatchError, match="fault: "):
        run_mistake(built, name, emulator, TRAP)


def test_a_fault_under_qemu_says_which_and_where(built: ImageBuilder) -> None:
    with pytest.raises(MismatchError, match=r"fault: UsageFault pc=0x.* at 0x[0-9a-f]+ \(demo_invoke\+0x"):
        run_mistake(built, "cortex-m4", "qemu", TRAP)


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-a53"])
def test_stack_of_the_model_is_measured(name: str, built: ImageBuilder) -> None:
    vectors = bytes(INPUT_SIZE) * 2
    result = run_image(built(name, model=MISTAKES), load_target(name), vectors, output_size=OUTPUT_SIZE)
    assert result.invoke_stack_bytes is not None and result.stack_bytes is not None
    assert 1000 < result.invoke_stack_bytes < 1100
    assert result.invoke_stack_bytes < result.stack_bytes < 1400


def test_stack_of_a_wasm_module_is_measured(built: ImageBuilder) -> None:
    image = built("wasm32-wasi", model=MISTAKES)
    result = run_image(image, load_target("wasm32-wasi"), bytes(INPUT_SIZE), output_size=OUTPUT_SIZE)
    assert result.stack_bytes is not None
    assert 1000 < result.stack_bytes < 1200


def test_a_wasm_module_does_not_start_in_too_little_memory(built: ImageBuilder) -> None:
    target = load_target("wasm32-wasi").with_budget(ram=32 << 10)
    with pytest.raises(MismatchError, match=r"cannot start: .*memory"):
        run_image(built("wasm32-wasi"), target, VECTORS, output_size=OUTPUT_SIZE)


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-a53", "wasm32-wasi", "host"])
def test_a_trace_build_writes_layers(name: str, built: ImageBuilder) -> None:
    result = run_image(built(name, trace=True), load_target(name), VECTORS, output_size=None)
    vectors = read_trace(result.results)
    assert len(vectors) == 25
    for at, records in enumerate(vectors):
        vector = VECTORS[at * INPUT_SIZE : (at + 1) * INPUT_SIZE]
        sums = b"".join(value.to_bytes(4, "little", signed=True) for value in expected_sums(vector))
        assert [(r.layer, r.data) for r in records] == [(0, sums), (-1, expected_output(vector))]


@pytest.mark.parametrize("cut", [1, 7, 8, 40, 71, 80])
def test_a_cut_off_trace_is_refused(cut: int, built: ImageBuilder) -> None:
    result = run_image(built("host", trace=True), load_target("host"), VECTORS[:INPUT_SIZE], output_size=None)
    with pytest.raises(MismatchError, match="trace cut off"):
        read_trace(result.results[:cut])


def test_a_missing_image_and_an_unknown_emulator(tmp_path: Path) -> None:
    target = load_target("cortex-m4")
    with pytest.raises(ToolError, match="there is no image"):
        run_image(tmp_path / "none.elf", target, b"", output_size=1)
    with pytest.raises(UsageError, match="unknown emulator"):
        run_image(tmp_path / "none.elf", target, b"", output_size=1, emulator="none")


def test_a_missing_program_is_named(built: ImageBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    image = built("cortex-m4")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ToolError, match="qemu-system-arm is not on PATH; install it"):
        run_image(image, load_target("cortex-m4"), b"", output_size=1, emulator="qemu")


@pytest.mark.parametrize("board", ["stm32f4_discovery", "nrf52840_dk"])
def test_images_for_other_boards_run(board: str, tmp_path: Path) -> None:
    target = load_target("cortex-m4", board=board)
    image = build_demo(tmp_path, target, model=MODEL)
    for choice in target.emulators:
        skip_without("cortex-m4", choice.name)
        result = run_image(image, target, VECTORS, output_size=OUTPUT_SIZE, emulator=choice.name)
        assert result.results == expected_output(VECTORS)
