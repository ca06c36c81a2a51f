"""Benchmarks: rows that add up, and regressions that are named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from edgegen.codegen.bench import BenchRow, bench_model, regressions
from edgegen.codegen.build import BuildOptions
from edgegen.codegen.export.tflite import write_tflite
from edgegen.codegen.ops.fully_connected import FullyConnectedAttributes
from edgegen.codegen.source import QuantizedSource
from edgegen.targets import load_target
from tests.exactness import T, one_op_graph

ROW = BenchRow("m", "cortex-m4", "balanced", True, 1000, 2000, 500, 4000, 3000, 1000, 64, 0, 0, 80, 144)


def test_growth_beyond_a_hundredth_is_a_regression_and_less_is_none() -> None:
    worse = replace(ROW, instructions=1011, ram_bytes=144)
    assert regressions([ROW.document()], [replace(ROW, instructions=1010)]) == []
    assert regressions([ROW.document()], [worse]) == ["m on cortex-m4, balanced: instructions 1,000 -> 1,011"]


def test_the_newest_row_of_the_same_model_target_and_mode_counts() -> None:
    older = {**ROW.document(), "instructions": 10}
    other = {**ROW.document(), "mode": "speed", "instructions": 10}
    assert regressions([older, other, ROW.document()], [ROW]) == []


def test_a_row_is_what_the_build_measured(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    weights = T(data=rng.integers(-127, 128, (5, 12)), scale=0.01)
    bias = T(None, "int32", scale=0.005, data=rng.integers(-99, 99, 5))
    graph = one_op_graph(
        "fully_connected", FullyConnectedAttributes(), [T((1, 12), scale=0.5), weights, bias], [T(scale=0.3)]
    )
    source = QuantizedSource("dense", write_tflite(graph), described="drawn", file_name="dense.tflite")
    row = bench_model(source, load_target("cortex-m4"), tmp_path, options=BuildOptions())
    assert row.bit_exact
    assert row.macs == 60
    assert row.instructions is not None
    assert row.instructions > 60
    assert row.stack_bytes is not None
    parts = (row.arena_bytes, row.state_bytes, row.data_bytes, row.stack_bytes)
    assert row.ram_bytes == sum(parts)
