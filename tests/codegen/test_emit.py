"""Emitted C: what is in it, and that compilers, linkers and sanitizers agree with it."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from edgegen.codegen.calls import comment_text
from edgegen.codegen.constants import float_literal
from edgegen.codegen.graph import Graph
from edgegen.codegen.host_project import HostProject
from edgegen.codegen.lower import LoweredGraph, lower
from edgegen.codegen.plan import MemoryPlan, plan_memory
from edgegen.codegen.reference import Reference
from edgegen.codegen.toolchain import WARNINGS, zig_cc, zig_program
from edgegen.codegen.vectors import draw_vectors, pack_vectors
from edgegen.targets import load_target
from edgegen.targets.files import FIRMWARE
from tests.codegen.models import cnn, emission_of, several_ports, stateful, texts, write_library
from tests.random_graphs import random_graph

FREESTANDING = FIRMWARE / "platform" / "support" / "freestanding"
GOLDEN = Path(__file__).with_name("golden")
NATIVE = ["-O1", "-g0", "-mcpu=baseline"]


def sources(library: Path) -> list[str]:
    return [str(file) for file in sorted((library / "src").glob("*.c"))]


def includes(library: Path) -> list[str]:
    return [f"-I{library / 'include'}", f"-I{library / 'src'}"]


def run_program(program: Path) -> str:
    done = subprocess.run([program], capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, f"status {done.returncode}: {done.stdout!r} {done.stderr!r}"
    return done.stdout.decode()


# What is emitted ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("graph", [cnn(), several_ports(), stateful()], ids=lambda graph: graph.name)
def test_golden_files(graph: Graph, update_golden: bool) -> None:
    emission = emission_of(graph)
    shown = {
        place: text
        for place, text in texts(emission).items()
        if re.search(
            rf"/{emission.model}(_weights|_selftest)?\.[ch]$|harness_config|library.json|^README", place
        )
    }
    folder = GOLDEN / emission.model
    if update_golden:
        shutil.rmtree(folder, ignore_errors=True)
    for place, text in shown.items():
        file = folder / place.replace("/", "__")
        if update_golden:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", newline="\n")
        assert file.read_text(encoding="utf-8") == text, f"{place}: see pytest --update-golden"


def test_the_same_input_gives_the_same_bytes() -> None:
    first, second = emission_of(cnn()), emission_of(cnn())
    assert first.files == second.files
    assert list(first.files) == sorted(first.files)


def test_nothing_of_this_machine_is_in_it() -> None:
    for place, text in texts(emission_of(cnn(), "cortex-m4")).items():
        for trace in (Path.home(), Path.cwd(), Path(sys.executable).parent):
            assert str(trace) not in text, place


def test_only_kernels_in_use_are_copied() -> None:
    places = texts(emission_of(cnn()))
    kernels = {
        place.rsplit("/", 1)[1] for place in places if place.startswith("lib/") and place.endswith(".c")
    }
    assert kernels == {
        "small_net.c",
        "small_net_weights.c",
        "small_net_selftest.c",
        "small_net_add.c",
        "small_net_add_run.c",
        "small_net_conv2d.c",
        "small_net_fully_connected.c",
        "small_net_max_pool2d.c",
        "small_net_softmax.c",
    }


def test_only_features_in_use_are_switched_on() -> None:
    target = load_target("cortex-m4")
    used = {name for step in lower(cnn(), target=target).steps for name in step.call.features}
    text = texts(emission_of(cnn(), "cortex-m4"))["lib/small_net/src/small_net_features.h"]
    listed = dict(re.findall(r"#define SMALL_NET_(\w+) ([01])\n", text))
    assert {name for name, value in listed.items() if value == "1"} == used
    assert used and set(listed) > used


def test_no_trace_of_the_unprefixed_names() -> None:
    for place, text in texts(emission_of(cnn(), "cortex-m4")).items():
        if place.startswith("lib/") and place.endswith((".c", ".h", ".S")):
            assert not re.search(r"\bedgegen_|\bEDGEGEN_", text), place
            assert not re.search(r'#include "(?!small_net|\.\./include/small_net)', text), place


@pytest.mark.parametrize("text", ["a */ b", "a /* b", "a ??/ b", "ends in \\", "größer\nzwei", "x" * 500])
def test_comments_cannot_break_out(text: str) -> None:
    safe = comment_text(text)
    assert not re.search(r"\*/|/\*|\?\?|\\|\n|[^ -~]", safe)
    assert len(safe) <= 100


@pytest.mark.parametrize("value", [0.1, 1.0, 1e-30, 3.4e38, 16777216.0, -0.5, 1 / 3])
def test_float_literals_read_back_exactly(value: float) -> None:
    literal = float_literal(value)
    assert literal.endswith("f")
    assert re.search(r"[.e]", literal)
    assert np.float32(literal[:-1]) == np.float32(value)


# Compilers and linkers ---------------------------------------------------------------------------------

CPLUSPLUS = """
#include "counter.h"
#include "m_2_class_nets.h"
#include "ports.h"
#include <stdio.h>
#include <string.h>

#define CHECK(what) do { if (!(what)) { printf("failed: %s\\n", #what); return 1; } } while (0)

static int contexts()
{
    alignas(16) static unsigned char arenas[2][COUNTER_ARENA_SIZE + 16], states[2][COUNTER_STATE_SIZE];
    const counter_context a = {arenas[0], states[0]}, b = {arenas[1], states[1]};
    int8_t in[COUNTER_INPUT_SIZE], first[COUNTER_OUTPUT_SIZE], second[COUNTER_OUTPUT_SIZE];
    memset(in, 20, sizeof in);
    CHECK(counter_reset_state_with(&a) == COUNTER_OK);
    CHECK(counter_reset_state_with(&b) == COUNTER_OK);
    CHECK(counter_invoke_with(&a, in, first) == COUNTER_OK);
    CHECK(counter_invoke_with(&a, in, first) == COUNTER_OK);
    CHECK(counter_invoke_with(&b, in, second) == COUNTER_OK);
    CHECK(first[0] != second[0]); /* the second instance has seen one input only */
    CHECK(counter_invoke_with(&b, in, second) == COUNTER_OK);
    CHECK(first[0] == second[0]);
    const counter_context no_state = {arenas[0], nullptr}, crooked = {arenas[0] + 1, states[0]};
    CHECK(counter_invoke_with(&no_state, in, first) == COUNTER_ERROR_NULL);
    CHECK(counter_invoke_with(&crooked, in, first) == COUNTER_ERROR_ALIGNMENT);
    CHECK(counter_invoke_with(nullptr, in, first) == COUNTER_ERROR_NULL);
    return 0;
}

int main()
{
    CHECK(counter_selftest() == COUNTER_OK);
    CHECK(m_2_class_nets_selftest() == M_2_CLASS_NETS_OK);
    CHECK(ports_selftest() == PORTS_OK);
    int8_t out[M_2_CLASS_NETS_OUTPUT_SIZE];
    CHECK(m_2_class_nets_invoke(nullptr, out) == M_2_CLASS_NETS_ERROR_NULL);
    alignas(4) char floats[4 * PORTS_INPUT_RIGHT_0_SIZE + 4] = {0};
    int8_t left[PORTS_INPUT_LEFT_SIZE] = {0}, total[PORTS_OUTPUT_TOTAL_SIZE], again[PORTS_OUTPUT_LEFT_SIZE];
    float real[PORTS_OUTPUT_REAL_SIZE];
    const float *crooked = static_cast<const float *>(static_cast<void *>(floats + 1));
    CHECK(ports_invoke(left, crooked, total, real, again) == PORTS_ERROR_ALIGNMENT);
    CHECK(m_2_class_nets_quantize_input(1e9f) == 127);
    CHECK(m_2_class_nets_quantize_input(-1e9f) == -128);
    CHECK(m_2_class_nets_quantize_input(0.0f) == M_2_CLASS_NETS_INPUT_ZERO_POINT);
    CHECK(m_2_class_nets_dequantize_output(127) == 255.0f / 256.0f);
    return contexts();
}
"""


def test_three_models_in_one_cplusplus_program(tmp_path: Path) -> None:
    graphs = [cnn("2 Class Nets"), several_ports(), stateful()]
    libraries = [write_library(graph, tmp_path) for graph in graphs]
    main = tmp_path / "main.cpp"
    main.write_text(CPLUSPLUS, encoding="utf-8")
    for library in libraries:
        zig_cc([*NATIVE, "-std=c99", *WARNINGS, *includes(library), "-c", *sources(library)], cwd=library)
    objects = [str(file) for library in libraries for file in library.glob("*.o*")]
    program = tmp_path / "program.exe"
    headers = [flag for library in libraries for flag in includes(library)[:1]]
    zig_cc([*NATIVE, "-std=c++11", *WARNINGS, *headers, str(main), *objects, "-o", str(program)])
    assert run_program(program) == ""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is a second opinion where it is installed")
@pytest.mark.parametrize("graph", [cnn(), several_ports(), stateful()], ids=lambda graph: graph.name)
def test_gcc_has_nothing_to_say(graph: Graph, tmp_path: Path) -> None:
    library = write_library(graph, tmp_path)
    command = ["gcc", "-std=c99", "-O2", *WARNINGS, *includes(library), "-c", *sources(library)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def symbols(objects: Sequence[Path]) -> tuple[set[str], set[str]]:
    """Global symbols that ELF objects define, and those that they need from elsewhere."""
    defined, needed = set(), set()
    for file in objects:
        table = ELFFile(io.BytesIO(file.read_bytes())).get_section_by_name(".symtab")
        for symbol in table.iter_symbols():
            if symbol["st_info"]["bind"] == "STB_GLOBAL":
                (needed if symbol["st_shndx"] == "SHN_UNDEF" else defined).add(symbol.name)
    return defined, needed - defined


@pytest.mark.parametrize("graph", [cnn(), stateful()], ids=lambda graph: graph.name)
def test_symbols_have_the_prefix_and_nothing_needs_floats(graph: Graph, tmp_path: Path) -> None:
    library = write_library(graph, tmp_path)
    soft_float = [
        "-target",
        "thumb-freestanding-eabi",
        "-mcpu=cortex_m3",
        "-O2",
        "-std=c99",
        f"-I{FREESTANDING}",
    ]
    no_unwinding = ["-fno-unwind-tables", "-fno-asynchronous-unwind-tables"]
    zig_cc([*soft_float, *no_unwinding, *includes(library), "-c", *sources(library)], cwd=tmp_path)
    defined, needed = symbols(sorted(tmp_path.glob("*.o")))
    assert all(name.startswith(f"{library.name}_") for name in defined)
    assert needed <= {
        "memcpy",
        "memset",
        "memmove",
        "memclr",
        "__aeabi_memcpy",
        "__aeabi_memset",
        "__aeabi_memclr",
    }


@pytest.mark.parametrize("name", ["class", "模型", "stdint", "harness", "x" * 200, "a/b\\c*/"])
def test_any_model_name_compiles(name: str, tmp_path: Path) -> None:
    library = write_library(stateful(name), tmp_path)
    zig_cc([*NATIVE, "-std=c99", *WARNINGS, *includes(library), "-c", *sources(library)], cwd=tmp_path)


# What it computes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_random_graphs_compute_what_the_reference_does(seed: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, steps=12)
    library = write_library(graph, tmp_path)
    inputs = draw_vectors(graph, 14, seed=seed)
    host = HostProject(tmp_path, library.name)
    outputs = host.run(pack_vectors(graph.input_tensors(), inputs), timeout_s=60.0)
    assert host.selftest(timeout_s=60.0) == 0
    assert outputs == pack_vectors(graph.output_tensors(), Reference(graph).run(inputs).outputs)


def dead_bytes(lowered: LoweredGraph, plan: MemoryPlan) -> list[list[tuple[int, int]]]:
    """For every step, the ranges of the arena that nobody needs after it."""
    found = []
    for index in range(len(lowered.steps)):
        alive = np.zeros(plan.arena_bytes, bool)
        for buffer in plan.buffers:
            if buffer.first <= index < buffer.last:
                alive[buffer.offset : buffer.offset + buffer.bytes] = True
        edges = np.flatnonzero(np.diff(np.concatenate([[True], alive, [True]])))
        found.append([(int(a), int(b)) for a, b in edges.reshape(-1, 2)])
    return found


POISON = """
#include "MODEL.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *arena;
void MODEL_trace(int32_t layer, const void *data, int32_t bytes);
void MODEL_trace(int32_t layer, const void *data, int32_t bytes)
{
    (void)data;
    (void)bytes;
    static const int32_t dead[][3] = {TABLE{-1, 0, 0}};
    for (unsigned i = 0; i < sizeof dead / sizeof *dead; ++i) {
        if (dead[i][0] == layer) {
            memset(arena + dead[i][1], 0x5a, (size_t)(dead[i][2] - dead[i][1]));
        }
    }
}

int main(int argc, char **argv)
{
    /* exactly what the header asks for, so that a sanitizer sees one byte too many */
    MODEL_context context = {malloc(ARENA), 0};
    uint8_t *in = malloc(INPUT), *out = calloc(1, OUTPUT);
    FILE *from = fopen(argv[1], "rb"), *to = fopen(argv[2], "wb");
    arena = context.arena;
    while (argc == 3 && fread(in, 1, INPUT, from) == INPUT) {
        if (MODEL_invoke_with(&context, ARGUMENTS) != 0 || fwrite(out, 1, OUTPUT, to) != OUTPUT) {
            return 1;
        }
    }
    free(context.arena);
    free(in);
    free(out);
    fclose(from);
    return fclose(to);
}
"""


def poisoning_program(graph: Graph, folder: Path, compile_command: Sequence[str]) -> Path:
    """A program that runs vectors from a file and poisons what is dead after every layer."""
    library = write_library(graph, folder)
    lowered = lower(graph)
    plan = plan_memory(lowered, alignment=16)
    emission = emission_of(graph)
    table = "".join(
        f"{{{index}, {start}, {end}}}, "
        for index, ranges in enumerate(dead_bytes(lowered, plan))
        for start, end in ranges
    )
    arguments = [f"(const int8_t *)in + {at}" for at in offsets(graph, "in")]
    arguments += [f"(int8_t *)out + {at}" for at in offsets(graph, "out")]
    text = POISON.replace("MODEL", library.name).replace("TABLE", table)
    text = text.replace("ARENA", str(max(plan.arena_bytes, 1))).replace("ARGUMENTS", ", ".join(arguments))
    text = text.replace("INPUT", str(emission.input_bytes)).replace("OUTPUT", str(emission.output_bytes))
    (folder / "main.c").write_text(text, encoding="utf-8")
    program = folder / "program.exe"
    traced = f"-D{library.name.upper()}_TRACE"
    command = [*compile_command, "-std=c99", "-O1", traced, *includes(library), "main.c", *sources(library)]
    done = subprocess.run(
        [*command, "-o", program.name], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return program


def offsets(graph: Graph, kind: str) -> list[int]:
    from edgegen.codegen.ports import vector_offsets

    return vector_offsets(graph.input_tensors() if kind == "in" else graph.output_tensors())


def run_file(program: Path, vectors: bytes) -> bytes:
    (program.parent / "vectors.bin").write_bytes(vectors)
    done = subprocess.run(
        [program, "vectors.bin", "results.bin"],
        cwd=program.parent,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"},
    )
    assert done.returncode == 0, done.stderr
    return (program.parent / "results.bin").read_bytes()


def compilers() -> list[list[str]]:
    """zig everywhere, its undefined-behaviour checks on; gcc with the address sanitizer where it is."""
    found = [
        [str(zig_program()), "cc", "-fsanitize=undefined", "-fsanitize-trap=undefined", "-mcpu=baseline"]
    ]
    if shutil.which("gcc") is not None and sys.platform == "linux":
        found.append(["gcc", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
    return found


@pytest.mark.parametrize("compiler", compilers(), ids=lambda command: Path(command[0]).name)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_poisoned_dead_bytes_change_nothing_under_sanitizers(
    seed: int, compiler: list[str], tmp_path: Path
) -> None:
    graph = random_graph(np.random.default_rng(100 + seed), steps=14)
    program = poisoning_program(graph, tmp_path, compiler)
    inputs = draw_vectors(graph, 21, seed=seed)
    expected = pack_vectors(graph.output_tensors(), Reference(graph).run(inputs).outputs)
    assert run_file(program, pack_vectors(graph.input_tensors(), inputs)) == expected
