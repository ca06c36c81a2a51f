"""Kernels for vectors of 16 bytes: exact in emulation with each target's inner loops, and on this machine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edgegen.codegen.hostlib import HostLibrary
from edgegen.codegen.lower import MODES, lower
from edgegen.codegen.lowering.vector import KERNELS
from edgegen.codegen.ops.base import TensorType
from edgegen.codegen.plan import plan_memory
from edgegen.codegen.rowwise import run_by_rows
from edgegen.codegen.vectors import draw_vectors
from edgegen.targets import load_target
from tests.exactness import run_reference
from tests.random_graphs import random_graph
from tests.targets.drawn_layers import Builder, assert_exact_in_emulation

TARGETS = ("cortex-a53", "wasm32-wasi")
SEEDS = (0, 1, 2, 3, 11, 12)
"""Among them inputs of one channel and of no multiple of eight."""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_layers_are_exact_in_emulation(seed: int, target: str, tmp_path: Path) -> None:
    assert_exact_in_emulation(Builder(seed).graph(), tmp_path, target=target)


@pytest.mark.parametrize("target", ["cortex-m4", *TARGETS])
def test_several_filters_a_channel_are_exact_in_emulation(target: str, tmp_path: Path) -> None:
    assert_exact_in_emulation(Builder(2).multiplied(), tmp_path, target=target)


@pytest.mark.parametrize("seed", range(12))
def test_the_portable_inner_loops_are_exact_under_sanitizers(seed: int, sanitized: HostLibrary) -> None:
    graph = Builder(seed).graph()
    inputs = draw_vectors(graph, 12, seed=seed)
    expected = dict(zip(graph.outputs, run_reference(graph, inputs), strict=True))
    known = dict(zip(graph.inputs, inputs, strict=True))
    for step in lower(graph, target=load_target("cortex-a53")).steps:
        if step.call.kernel not in KERNELS.values():
            continue
        kind = TensorType(step.view.outputs[0].shape, step.view.outputs[0].dtype)
        for vector in range(12):
            (got,) = sanitized.run(step.call, [known[step.node.inputs[0] or ""][vector]], [kind])
            assert np.array_equal(got, expected[step.node.outputs[0]][vector]), step.node.name


@pytest.fixture(scope="module")
def sanitized() -> HostLibrary:
    return HostLibrary(sanitize=True)


def test_the_draws_reach_every_kernel_and_every_fallback() -> None:
    kernels = {
        (step.node.op, step.call.kernel)
        for seed in SEEDS
        for step in lower(Builder(seed).graph(), target=load_target("cortex-a53")).steps
    }
    assert {(op, kernel) for op, kernel in kernels if op in KERNELS} >= {
        *KERNELS.items(),
        ("depthwise_conv2d", "conv2d_columns"),
        *((op, op) for op in KERNELS),
    }


@pytest.mark.parametrize("target", ["cortex-m4", "cortex-a53", "wasm32-wasi", "host"])
def test_any_graph_can_be_scheduled_on_any_target_in_any_mode(target: str) -> None:
    """Without compiling: kernels are chosen, regions found, memory planned."""
    chosen = load_target(target)
    for seed in range(60):
        graph = random_graph(np.random.default_rng(seed), steps=20)
        for mode in MODES:
            lowered = lower(graph, target=chosen, mode=mode)
            lowered = run_by_rows(lowered, alignment=chosen.alignment, mode=mode)
            plan = plan_memory(lowered, alignment=chosen.alignment)
            assert plan.arena_bytes >= plan.bound_bytes
