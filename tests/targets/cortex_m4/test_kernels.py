"""The Cortex-M4's own kernels: the emulated image returns the reference's bytes for drawn layers.

Many layers read one input side by side, so that a single image proves all of them.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from edgegen.codegen.graph import Graph
from edgegen.codegen.lower import LoweredGraph, lower
from edgegen.codegen.plan import plan_memory
from edgegen.codegen.project import read_manifest
from edgegen.codegen.rowwise import run_by_rows
from edgegen.targets import load_target
from tests.targets.drawn_layers import Builder, assert_exact_in_emulation

MODELS = 6
SEEDS = (*range(MODELS), 11)  # the last one has a single channel
DENSE = (5, 8, 12)
"""Seeds of dense layers whose inputs are a multiple of eight."""
WINOGRAD = (0, 4, 15, 20)
"""Seeds of 3x3 convolutions over a multiple of four channels."""
CHAINS = (12, 34, 35, 37, 44, 47)
"""Seeds whose chains have regions of many kinds."""


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_layers_are_exact_in_emulation(seed: int, tmp_path: Path) -> None:
    assert_exact_in_emulation(Builder(seed).graph(), tmp_path)


@pytest.mark.parametrize("seed", range(MODELS))
def test_drawn_depthwise_layers_are_exact_in_emulation(seed: int, tmp_path: Path) -> None:
    assert_exact_in_emulation(Builder(seed, sizes=(1, 9)).windows_of_3x3(), tmp_path)


@pytest.mark.parametrize("seed", DENSE)
def test_drawn_dense_layers_are_exact_without_scratch(seed: int, tmp_path: Path) -> None:
    graph = Builder(seed).graph()
    assert_exact_in_emulation(graph, tmp_path, mode="ram")
    steps = lower(graph, target=load_target("cortex-m4"), mode="ram").steps
    assert any(getattr(step.call.params, "direct", 0) for step in steps)


@pytest.mark.parametrize("seed", CHAINS)
def test_drawn_chains_are_exact_row_by_row(seed: int, tmp_path: Path) -> None:
    folder = assert_exact_in_emulation(chain(seed), tmp_path, mode="ram")
    assert len(read_manifest(folder).regions) == len(by_rows(chain(seed), "ram").regions)


@pytest.mark.parametrize("seed", WINOGRAD)
def test_drawn_3x3_convolutions_are_exact_for_speed(seed: int, tmp_path: Path) -> None:
    graph = Builder(seed, sizes=(1, 12)).winograd()
    assert_exact_in_emulation(graph, tmp_path, mode="speed")
    kernels = [s.call.kernel for s in lower(graph, target=load_target("cortex-m4"), mode="speed").steps]
    assert kernels.count("conv2d_winograd") >= 2
    assert "conv2d_winograd" not in {
        s.call.kernel for s in lower(graph, target=load_target("cortex-m4")).steps
    }


def chain(seed: int) -> Graph:
    return Builder(100 + seed, sizes=(10, 17)).chain()


def by_rows(graph: Graph, mode: str) -> LoweredGraph:
    target = load_target("cortex-m4")
    return run_by_rows(lower(graph, target=target, mode=mode), alignment=target.alignment, mode=mode)


def test_the_chains_reach_regions_with_skips_and_overlaps() -> None:
    regions = [region for seed in CHAINS for region in by_rows(chain(seed), "ram").regions]
    assert len(regions) > len(CHAINS)
    assert any(len(stage.inputs) == 2 for region in regions for stage in region.stages)
    assert any(distance > 0 for region in regions for _, distance in region.overlaps)
    assert any(stage.step is None for region in regions for stage in region.stages)


def test_modes_pay_what_they_say() -> None:
    for seed in CHAINS:
        plans = {}
        for mode in ("ram", "balanced", "speed"):
            lowered = by_rows(chain(seed), mode)
            price = sum(region.extra_instructions for region in lowered.regions)
            assert price == 0 or mode != "speed"
            plans[mode] = plan_memory(lowered, alignment=4).bound_bytes
        assert plans["ram"] <= plans["balanced"] <= plans["speed"]


def test_the_draws_reach_every_kernel_and_every_fallback() -> None:
    """Packed and portable, short and exact requantisation."""
    kernels: set[tuple[str, bool | None]] = set()
    replaced: set[tuple[str, str]] = set()
    planes: set[tuple[int, bool, int, int, bool]] = set()
    drawn = [Builder(seed).graph() for seed in SEEDS]
    drawn += [Builder(seed, sizes=(1, 9)).windows_of_3x3() for seed in range(MODELS)]
    for graph in drawn:
        for step in lower(graph, target=load_target("cortex-m4")).steps:
            replaced.add((step.node.op, step.call.kernel))
            records = getattr(step.call.params, "records", getattr(step.call.params, "fast", None))
            kernels.add((step.call.kernel, None if records is None else bool(np.any(records))))
            if step.call.kernel == "depthwise_conv2d_planes":
                p = step.call.params
                planes.add(
                    (p.stride_w, p.output_offset == -128, p.out_w % 2, p.pad_left, p.channels % 4 == 0)
                )
    names = {name for name, _ in kernels}
    assert {
        "conv2d_packed",
        "conv2d",
        "fully_connected_packed",
        "depthwise_conv2d_rows",
        "depthwise_conv2d_planes",
    } <= names
    assert {"add_aligned", "add", "average_pool2d_wide", "average_pool2d"} <= names
    assert {("conv2d_packed", True), ("conv2d_packed", None)} <= kernels
    assert ("depthwise_conv2d", "conv2d_packed") in replaced
    assert {("depthwise_conv2d_rows", True), ("depthwise_conv2d_rows", False)} <= kernels
    for column in range(1, 5):
        values = {row[column] for row in planes}
        assert {(row[0], row[column]) for row in planes} == set(itertools.product([1, 2], values)), column
        assert len(values) == 2, column
