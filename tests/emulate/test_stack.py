"""The bound of the stack: small C programs with frames of known size, and those that have no bound."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from edgegen.codegen.build import BuildOptions, build
from edgegen.codegen.toolchain import zig_program
from edgegen.emulate.image import load_elf
from edgegen.emulate.stack import StackBound, frame_of
from edgegen.errors import BudgetError, ToolError
from edgegen.targets import load_target
from tests.codegen.models import cnn, source_of

TARGETS = ("cortex-m4", "cortex-a53")
COMMON = """
typedef void (*function)(char *);
__attribute__((noinline)) void sink(char *p) { __asm volatile("" :: "r"(p) : "memory"); }
__attribute__((noinline)) void leaf(void) { char room[256]; sink(room); }
__attribute__((noinline)) void middle(void) { char room[512]; sink(room); leaf(); sink(room); }
__attribute__((noinline)) int again(int n) {
    char room[16];
    sink(room);
    return n ? again(n - 1) + room[0] : 0;
}
__attribute__((noinline)) void through(function f) { char room[32]; f(room); sink(room); }
__attribute__((noinline)) void varying(int n) { char room[n]; sink(room); }
void _start(void) { middle(); again(3); through(sink); varying(4); for (;;) {} }
"""


@pytest.fixture(scope="module", params=TARGETS)
def bound(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> StackBound:
    folder = tmp_path_factory.mktemp("stack")
    (folder / "p.c").write_text(COMMON, encoding="utf-8")
    flags = load_target(request.param).compile_flags["zig"]
    program = [str(zig_program()), "cc", *flags, "-O1", "-nostdlib", "-Wl,-e,_start", "-o", "p.elf", "p.c"]
    subprocess.run(program, cwd=folder, check=True, capture_output=True)
    return StackBound(load_elf(folder / "p.elf"), request.param)


def test_frames_and_calls_add_up(bound: StackBound) -> None:
    leaf, middle = bound.of("leaf"), bound.of("middle")
    assert 256 <= leaf <= 256 + 48
    assert 512 + leaf <= middle <= 512 + 48 + leaf
    function = bound.image.function_at(bound.image.address_of("middle") & ~1)
    assert function is not None
    callees = {callee.name for callee in frame_of(bound.image, function, bound.cpu).callees}
    assert callees == {"leaf", "sink"}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("again", "recursion again -> again"),
        ("through", "a call through"),
        ("varying", "stack"),
        ("_start", ""),
    ],
)
def test_what_has_no_bound_is_named(bound: StackBound, name: str, problem: str) -> None:
    with pytest.raises(ToolError, match=f"no bound of the stack: .*{problem}"):
        bound.of(name)


@pytest.mark.parametrize("target", TARGETS)
def test_a_build_knows_its_bound_and_holds_it_against_the_budget(target: str, tmp_path: Path) -> None:
    report = build(source_of(cnn()), load_target(target), tmp_path, options=BuildOptions())
    sizes = report.sizes
    assert sizes.stack_bound is not None and sizes.stack_seen is not None
    assert 0 < sizes.stack_seen <= sizes.stack_bound == sizes.stack_bytes
    tight = load_target(target).with_budget(stack=sizes.stack_bound - 1)
    with pytest.raises(BudgetError, match=f"may need {sizes.stack_bound} bytes of a stack of"):
        build(source_of(cnn()), tight, tmp_path / "tight", options=BuildOptions())
