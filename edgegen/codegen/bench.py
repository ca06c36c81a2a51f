"""Benchmarks: what a model costs on a target, counted and measured, never timed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from edgegen.codegen.build import BuildOptions, build
from edgegen.codegen.source import QuantizedSource
from edgegen.targets import Target

TOLERATED = 0.01
"""Share by which a number may grow before it is a regression; counts repeat exactly."""
HELD = ("instructions", "cycles", "flash_bytes", "constant_bytes", "ram_bytes")


@dataclass(frozen=True)
class BenchRow:
    """One model on one target in one mode. Bytes; `flash_bytes` leaves out the test harness's code."""

    model: str
    target: str
    mode: str
    bit_exact: bool
    instructions: int | None
    cycles: int | None
    macs: int
    flash_bytes: int
    constant_bytes: int
    code_bytes: int
    arena_bytes: int
    state_bytes: int
    data_bytes: int
    stack_bytes: int | None
    ram_bytes: int

    def document(self) -> dict[str, Any]:
        return asdict(self)


def bench_model(source: QuantizedSource, target: Target, output: Path, *, options: BuildOptions) -> BenchRow:
    """Build a model and prove its golden vectors; the counts are the worst of these."""
    report = build(source, target, output, options=options)
    sizes = report.sizes
    return BenchRow(
        model=report.manifest.model,
        target=target.name,
        mode=options.mode,
        bit_exact=report.vectors > 0,
        instructions=report.instructions,
        cycles=report.cycles,
        macs=sum(step.macs for step in report.manifest.layers),
        flash_bytes=sizes.model_flash_bytes,
        constant_bytes=sizes.constant_bytes,
        code_bytes=sizes.code_bytes,
        arena_bytes=sizes.arena_bytes,
        state_bytes=sizes.state_bytes,
        data_bytes=sizes.data_bytes,
        stack_bytes=sizes.stack_bytes,
        ram_bytes=sizes.ram_bytes,
    )


def regressions(earlier: Sequence[Mapping[str, Any]], rows: Sequence[BenchRow]) -> list[str]:
    """What grew by more than a hundredth since the newest earlier row of the same model, target and mode."""
    newest = {(row["model"], row["target"], row["mode"]): row for row in earlier}
    found = []
    for row in rows:
        before = newest.get((row.model, row.target, row.mode))
        for name in HELD if before is not None else ():
            old, new = before[name], getattr(row, name)  # type: ignore[index]
            if old and new and new > old * (1 + TOLERATED):
                found.append(f"{row.model} on {row.target}, {row.mode}: {name} {old:,} -> {new:,}")
    return found
