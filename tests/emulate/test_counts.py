"""Instruction counts are exact, repeatable, and the same in unicorn and QEMU."""

from __future__ import annotations

import random
import shutil

import pytest

from edgegen.emulate import RunResult, block_counter, run_image, unicorn_core
from edgegen.targets import load_target
from tests.emulate.conftest import ImageBuilder
from tests.firmware.demo import INPUT_SIZE, OUTPUT_SIZE

VECTORS = random.Random(3).randbytes(INPUT_SIZE * 4)
QEMU = {"cortex-m4": "qemu-system-arm", "cortex-a53": "qemu-aarch64"}

# Data-dependent branches, conditional instructions, a division and a loop.
BRANCHY = """\
#include "demo.h"
static int32_t __attribute__((noinline)) gcd(int32_t a, int32_t b)
{
    while (b != 0) {
        const int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
void demo_reset_state(void)
{
}
int demo_invoke(const int8_t *in, int8_t *out)
{
    for (int i = 0; i < 4; i++) {
        int32_t a = in[4 * i] < 0 ? -in[4 * i] : in[4 * i];
        int32_t b = in[4 * i + 1] > in[4 * i + 2] ? in[4 * i + 1] : in[4 * i + 2];
        b = b < 1 ? 1 : b;
        out[i] = (int8_t)(gcd(a, b) & 127);
    }
    return 0;
}
"""
# 64 iterations of three instructions and one branch, then the return: 1 + 64 * 4 + 2.
COUNTED = """\
#include "demo.h"
int demo_invoke(const int8_t *in, int8_t *out);
void demo_reset_state(void)
{
}
__asm(".text\\n"
      ".syntax unified\\n"
      ".thumb\\n"
      ".balign 4\\n"
      ".global demo_invoke\\n"
      ".type demo_invoke, %function\\n"
      "demo_invoke:\\n"
      "movs r2, #64\\n"
      "1: nop\\n"
      "nop\\n"
      "subs r2, r2, #1\\n"
      "bne 1b\\n"
      "movs r0, #0\\n"
      "bx lr\\n"
      ".size demo_invoke, . - demo_invoke\\n");
"""


def count(built: ImageBuilder, name: str, *, emulator: str, model: str, compiler: str = "zig") -> RunResult:
    return run_image(
        built(name, model=model, compiler=compiler),
        load_target(name),
        VECTORS,
        output_size=OUTPUT_SIZE,
        emulator=emulator,
        count=True,
    )


@pytest.mark.parametrize("compiler", ["zig", "gcc"])
@pytest.mark.parametrize("name", list(QEMU))
def test_unicorn_and_qemu_count_the_same(name: str, compiler: str, built: ImageBuilder) -> None:
    if shutil.which(QEMU[name]) is None:
        pytest.skip(f"{QEMU[name]} is not installed")
    ours = count(built, name, emulator="unicorn", model=BRANCHY, compiler=compiler)
    other = count(built, name, emulator="qemu", model=BRANCHY, compiler=compiler)
    assert ours.results == other.results
    assert ours.instructions == other.instructions
    assert ours.cycles == other.cycles
    assert [p.counts for p in ours.profiles] == [p.counts for p in other.profiles]
    assert ours.instructions is not None and len(set(ours.instructions)) > 1


def test_a_count_that_can_be_done_by_hand(built: ImageBuilder) -> None:
    result = count(built, "cortex-m4", emulator="unicorn", model=COUNTED)
    assert result.instructions == (1 + 64 * 4 + 2,) * 4
    # movs, 64 x (nop, nop, subs, bne), 63 taken branches, movs, bx
    assert result.cycles == (1 + 64 * 4 + 63 + 1 + 3,) * 4


def test_functions_add_up_and_the_harness_is_left_out(built: ImageBuilder) -> None:
    result = count(built, "cortex-m4", emulator="unicorn", model=BRANCHY)
    for profile, instructions in zip(result.profiles, result.instructions or (), strict=True):
        functions = profile.by_function()
        assert {"demo_invoke", "gcd"} == {function.name for function in functions}
        assert sum(entry.count for entry in functions.values()) == instructions
        everything = profile.between(0, 1 << 32)
        assert (everything.count, everything.cycles) == (instructions, profile.cycles)
        assert profile.between(0, 0).count == 0


def test_the_python_counter_agrees_with_the_native_one(
    built: ImageBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = []
    original = block_counter.block_counter

    def remember(engine: object) -> block_counter.BlockCounter:
        counter = original(engine)
        used.append(type(counter).__name__)
        return counter

    monkeypatch.setattr(unicorn_core, "block_counter", remember)
    native = count(built, "cortex-m4", emulator="unicorn", model=BRANCHY)
    assert used == ["NativeCounter"]
    monkeypatch.setattr(unicorn_core, "block_counter", block_counter.PythonCounter)
    python = count(built, "cortex-m4", emulator="unicorn", model=BRANCHY)
    assert [p.counts for p in native.profiles] == [p.counts for p in python.profiles]


def test_fuel_of_wasm_is_repeatable_and_depends_on_the_data(built: ImageBuilder) -> None:
    first = count(built, "wasm32-wasi", emulator="wasmtime", model=BRANCHY)
    again = count(built, "wasm32-wasi", emulator="wasmtime", model=BRANCHY)
    assert first.instructions == again.instructions
    assert first.instructions is not None
    assert len(first.instructions) == 4 and len(set(first.instructions)) > 1


def test_counting_does_not_change_results_or_stack(built: ImageBuilder) -> None:
    target = load_target("cortex-m4")
    plain = run_image(built("cortex-m4", model=BRANCHY), target, VECTORS, output_size=OUTPUT_SIZE)
    counted = count(built, "cortex-m4", emulator="unicorn", model=BRANCHY)
    assert plain.results == counted.results
    assert plain.stack_bytes == counted.stack_bytes
    assert plain.instructions is None
