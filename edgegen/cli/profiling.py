"""`edgegen profile` and `edgegen memory`: where instructions and bytes go."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from edgegen.cli.console import Output, count
from edgegen.cli.selecting import Budgets, check_compiler, choose_source, compiler_for, load_with_budgets
from edgegen.codegen.build import BuildOptions
from edgegen.codegen.lower import MODES, LoweredGraph
from edgegen.codegen.pictures import memory_page, profile_page
from edgegen.codegen.plan import MemoryPlan
from edgegen.codegen.profiling import ModelProfile, profile_model, scheduled
from edgegen.codegen.source import load_source
from edgegen.errors import UsageError

HEADINGS = (
    "layer",
    "kernel",
    "instructions",
    "cycles",
    "of all",
    "MAC",
    "per MAC",
    "weights",
    "code",
    "arena live",
    "stack",
    "chosen for",
)


def run_profile(
    model: str | None,
    target: str,
    output: Path,
    *,
    budgets: Budgets,
    options: BuildOptions,
    page: Path | None,
    show: Output,
    calibration: Path | None = None,
) -> None:
    """Count a model's layers and print them; also as a page."""
    check_compiler(options.compiler)
    chosen = load_with_budgets(target, board=None, budgets=budgets)
    usable = replace(options, compiler=compiler_for(chosen, options.compiler))
    source = choose_source(model, show, calibration)
    with show.steps() as step:
        step("loading the model")
        loaded = load_source(source)
        profile = profile_model(loaded, chosen, output, options=usable, progress=step)
    _print(profile, show)
    if page is not None:
        _write(page, profile_page(profile, *scheduled(loaded, chosen, usable)), show)
    show.document(profile.document())


def run_memory(
    model: str | None,
    target: str,
    *,
    budgets: Budgets,
    mode: str,
    page: Path | None,
    show: Output,
    calibration: Path | None = None,
) -> None:
    """Print a model's memory plan, who sets its peak, and what each mode makes of it."""
    chosen = load_with_budgets(target, board=None, budgets=budgets)
    loaded = load_source(choose_source(model, show, calibration))
    plans = {name: scheduled(loaded, chosen, BuildOptions(mode=name)) for name in MODES}
    if mode not in plans:
        raise UsageError(f"unknown mode {mode!r}; one of: {', '.join(MODES)}")
    lowered, plan = plans[mode]
    peak = _peak(lowered, plan)
    show.table(
        ["buffer", "bytes", "at", "steps"],
        [
            [_owner(b.tensors, b.first), count(b.bytes), count(b.offset), f"{b.first} to {b.last}"]
            for b in sorted(plan.buffers, key=lambda b: (b.first, b.offset))
        ],
        title=f"{loaded.name} on {target}, {mode}",
    )
    show.say(plan.describe())
    show.say(f"the peak is in {peak}")
    savings = [
        [name, f"{p.arena_bytes:,}", f"{sum(r.extra_instructions for r in g.regions):,}"]
        for name, (g, p) in plans.items()
    ]
    show.table(["mode", "arena", "extra instructions, about"], savings)
    if page is not None:
        _write(page, memory_page(f"{loaded.name} on {target}, {mode}", lowered, plan, savings), show)
    show.document(
        {
            "model": loaded.name,
            "target": target,
            "mode": mode,
            "arena_bytes": plan.arena_bytes,
            "bound_bytes": plan.bound_bytes,
            "state_bytes": plan.state_bytes,
            "peak": peak,
            "buffers": [vars(buffer) for buffer in plan.buffers],
            "modes": {name: p.arena_bytes for name, (_, p) in plans.items()},
        }
    )


def _print(profile: ModelProfile, show: Output) -> None:
    rows = [
        [
            f"{layer.index} {layer.op}",
            layer.kernel + (f" (rows {layer.region})" if layer.region else ""),
            count(layer.instructions),
            count(layer.cycles),
            _share(layer.instructions, profile.instructions),
            count(layer.macs),
            "-" if layer.instructions_per_mac is None else f"{layer.instructions_per_mac:.2f}",
            count(layer.weight_bytes),
            count(layer.code_bytes),
            count(layer.arena_bytes),
            count(layer.stack_bytes),
            layer.why,
        ]
        for layer in profile.layers
    ]
    rows.append(_total("outside of layers", profile.overhead_instructions, profile.overhead_cycles, profile))
    rows.append(_total("all", profile.instructions, profile.cycles, profile))
    show.table(HEADINGS, rows, title=f"{profile.model} on {profile.target}, {profile.mode}")


def _total(label: str, instructions: int, cycles: int | None, profile: ModelProfile) -> list[str]:
    return [
        label,
        "",
        count(instructions),
        count(cycles),
        _share(instructions, profile.instructions),
        *[""] * (len(HEADINGS) - 5),
    ]


def _share(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.1f} %"


def _owner(tensors: tuple[str, ...], step: int) -> str:
    return ", ".join(tensors) if tensors else f"scratch of step {step}"


def _peak(lowered: LoweredGraph, plan: MemoryPlan) -> str:
    """The step in which most bytes of the arena are alive."""
    from edgegen.codegen.plan import live_arena_bytes

    live = live_arena_bytes(lowered, alignment=plan.alignment)
    at = max(range(len(live)), key=lambda step: live[step], default=0)
    node = lowered.steps[at].node
    return f"step {at}, {node.op} '{node.name}': {live[at]} bytes"


def _write(page: Path, text: str, show: Output) -> None:
    try:
        page.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"{page} cannot be written: {problem.strerror}") from problem
    show.note(f"written: {page}")
