"""Profiles: what each layer of a built model costs, counted in emulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from edgegen.codegen.build import BuildOptions, BuildReport, Progress, build, optimize
from edgegen.codegen.lower import LoweredGraph, lower
from edgegen.codegen.plan import MemoryPlan, plan_memory
from edgegen.codegen.rowwise import run_by_rows
from edgegen.codegen.source import QuantizedSource, graph_of
from edgegen.codegen.vectors import draw_vectors, pack_vectors
from edgegen.emulate import run_image
from edgegen.emulate.layers import OUTSIDE, LayerCost
from edgegen.errors import UsageError
from edgegen.targets import Target

VECTORS = 2


@dataclass(frozen=True)
class LayerProfile:
    """A layer's costs in one inference, sizes in bytes.

    `arena_bytes` live while it runs; `region` are the layers with which it runs row by row; `why` says what
    its kernel was chosen for.
    """

    index: int
    op: str
    name: str
    kernel: str
    why: str
    region: str
    macs: int
    instructions: int
    cycles: int | None
    weight_bytes: int
    code_bytes: int
    arena_bytes: int
    stack_bytes: int

    @property
    def instructions_per_mac(self) -> float | None:
        return self.instructions / self.macs if self.macs else None


@dataclass(frozen=True)
class ModelProfile:
    """All layers, and what is spent outside of them: calls, rings of rows, checks of arguments."""

    model: str
    target: str
    mode: str
    layers: tuple[LayerProfile, ...]
    overhead_instructions: int
    overhead_cycles: int | None
    instructions: int
    cycles: int | None

    def document(self) -> dict[str, Any]:
        """For `--json`."""
        return asdict(self)


def profile_model(
    source: QuantizedSource,
    target: Target,
    output: Path,
    *,
    options: BuildOptions,
    progress: Progress = lambda step: None,
) -> ModelProfile:
    """Build a model, and count each layer of the costliest of a few inferences.

    UsageError where the target's emulator cannot tell layers apart.
    """
    if target.suffix != ".elf":
        raise UsageError(
            f"layers of {target.name} cannot be told apart in {target.emulators[0].name}; "
            "use cortex-m4 or cortex-a53, or `edgegen bench` for totals"
        )
    report = build(source, target, output, options=options, progress=progress)
    lowered, plan = scheduled(source, target, options)
    progress("counting layers")
    costs = _costs(source, target, report)
    return _profile(report, lowered, plan, costs, options.mode)


def scheduled(
    source: QuantizedSource, target: Target, options: BuildOptions
) -> tuple[LoweredGraph, MemoryPlan]:
    """The schedule and the memory plan of a build."""
    lowered = lower(optimize(graph_of(source), options), target=target, mode=options.mode)
    lowered = run_by_rows(lowered, alignment=target.alignment, mode=options.mode)
    return lowered, plan_memory(lowered, alignment=target.alignment)


def _costs(source: QuantizedSource, target: Target, report: BuildReport) -> Mapping[int, LayerCost]:
    graph = graph_of(source)
    inputs = draw_vectors(graph, VECTORS, seed=0)
    result = run_image(
        report.image,
        target,
        pack_vectors(graph.input_tensors(), inputs),
        output_size=report.manifest.output_bytes,
        input_size=report.manifest.input_bytes,
        timeout_s=600.0,
        emulator="unicorn",
        layers=True,
    )
    return max(result.layers, key=lambda costs: sum(cost.instructions for cost in costs.values()))


def _profile(
    report: BuildReport,
    lowered: LoweredGraph,
    plan: MemoryPlan,
    costs: Mapping[int, LayerCost],
    mode: str,
) -> ModelProfile:
    regions = {i: f"{r.first} to {r.last}" for r in lowered.regions for i in r.steps}
    layers = []
    for index, step in enumerate(lowered.steps):
        if index in plan.elided:
            continue
        cost = costs.get(index, LayerCost(0, None, 0, 0))
        chosen = next((choice.reason for choice in step.choices if choice.call is step.call), "portable")
        live = sum(b.bytes for b in plan.buffers if b.first <= index <= b.last)
        layers.append(
            LayerProfile(
                index=index,
                op=step.node.op,
                name=step.node.name,
                kernel=step.kernel_of(index in regions),
                why=chosen,
                region=regions.get(index, ""),
                macs=step.macs,
                instructions=cost.instructions,
                cycles=cost.cycles,
                weight_bytes=step.constant_bytes,
                code_bytes=cost.code_bytes,
                arena_bytes=min(live, plan.arena_bytes),
                stack_bytes=cost.stack_bytes,
            )
        )
    cycles = [cost.cycles for cost in costs.values() if cost.cycles is not None]
    return ModelProfile(
        model=report.manifest.model,
        target=report.manifest.target,
        mode=mode,
        layers=tuple(layers),
        overhead_instructions=costs[OUTSIDE].instructions,
        overhead_cycles=costs[OUTSIDE].cycles,
        instructions=sum(cost.instructions for cost in costs.values()),
        cycles=sum(cycles) if len(cycles) == len(costs) else None,
    )
