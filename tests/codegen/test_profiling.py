"""Profiles: layers and what is outside of them add up to the whole, instruction by instruction."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from edgegen.codegen.build import BuildOptions, build
from edgegen.codegen.pictures import memory_page, profile_page
from edgegen.codegen.profiling import profile_model, scheduled
from edgegen.codegen.vectors import draw_vectors, pack_vectors
from edgegen.codegen.verify import open_project
from edgegen.emulate import run_image
from edgegen.errors import UsageError
from edgegen.targets import load_target
from tests.codegen.models import cnn, source_of
from tests.targets.drawn_layers import Builder

ROWS = 47
"""The seed of a chain that runs row by row."""


@pytest.mark.parametrize("target", ["cortex-m4", "cortex-a53"])
def test_layers_add_up_to_what_is_counted_in_all(target: str, tmp_path: Path) -> None:
    chosen = load_target(target)
    profile = profile_model(source_of(cnn()), chosen, tmp_path, options=BuildOptions())
    totals = run_image(
        tmp_path / "small_net" / target / ".pio" / "build" / target / chosen.image_name,
        chosen,
        pack_vectors(cnn().input_tensors(), draw_vectors(cnn(), 2, seed=0)),
        output_size=None,
        count=True,
    )
    assert totals.instructions is not None
    assert profile.instructions == max(totals.instructions)
    assert profile.instructions == profile.overhead_instructions + sum(
        layer.instructions for layer in profile.layers
    )
    assert all(layer.instructions > 0 and layer.stack_bytes >= 0 for layer in profile.layers)
    assert profile.overhead_instructions < profile.instructions / 10
    assert (profile.cycles is None) == (target == "cortex-a53")
    if totals.cycles is not None and profile.cycles is not None:
        assert profile.cycles in totals.cycles


def test_layers_that_run_row_by_row_are_told_apart(tmp_path: Path) -> None:
    graph = Builder(100 + ROWS, sizes=(10, 17)).chain()
    options = BuildOptions(mode="ram", remove_constant_channels=False)
    profile = profile_model(source_of(graph), load_target("cortex-m4"), tmp_path, options=options)
    assert any(layer.region for layer in profile.layers)
    assert all(layer.instructions > 0 for layer in profile.layers)


def test_pages_show_every_layer_and_every_buffer(tmp_path: Path) -> None:
    source, target = source_of(cnn()), load_target("cortex-m4")
    profile = profile_model(source, target, tmp_path, options=BuildOptions())
    lowered, plan = scheduled(source, target, BuildOptions())
    page = profile_page(profile, lowered, plan)
    assert len(re.findall("<rect", page)) == len(profile.layers) + len(plan.buffers)
    page = memory_page("a < b", lowered, plan, [["balanced", "1", "2"]])
    assert "a &lt; b" in page and len(re.findall("<rect", page)) == len(plan.buffers)


def test_wasm_has_no_layers(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be told apart"):
        profile_model(source_of(cnn()), load_target("wasm32-wasi"), tmp_path, options=BuildOptions())


@pytest.mark.parametrize("target", ["cortex-m4", "cortex-a53"])
def test_counts_do_not_depend_on_the_data(target: str, tmp_path: Path) -> None:
    """Softmax and what follows it apart: its loops run over values."""
    report = build(source_of(cnn()), load_target(target), tmp_path, options=BuildOptions())
    project = open_project(report.folder)
    shape = project.graph.input_tensors()[0].shape
    rng = np.random.default_rng(0)
    inputs = [np.full((1, *shape), value, np.int8) for value in (-128, 127, 0)]
    inputs += [rng.integers(-128, 128, (1, *shape)).astype(np.int8) for _ in range(3)]
    result = run_image(
        report.image,
        project.target,
        pack_vectors(project.graph.input_tensors(), [np.concatenate(inputs)]),
        output_size=project.manifest.output_bytes,
        layers=True,
    )
    softmax = {layer.index for layer in project.manifest.layers if layer.op == "softmax"}
    assert softmax
    for index in {layer.index for layer in project.manifest.layers if layer.kernel} - softmax:
        counts = {costs[index].instructions for costs in result.layers}
        assert max(counts) - min(counts) <= 0.01 * max(counts), (index, counts)
