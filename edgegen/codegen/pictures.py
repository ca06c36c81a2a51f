"""Pictures of a profile and of a memory plan: an HTML page each that needs nothing else."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from edgegen.codegen.lower import LoweredGraph
from edgegen.codegen.plan import MemoryPlan
from edgegen.codegen.profiling import ModelProfile

WIDTH, BAR, LEFT, PLAN_HEIGHT = 900, 18, 320, 480
COLOURS = ("#4878a8", "#6aa05a", "#c8883c", "#a05a8c", "#5a9ca0", "#a0a05a", "#8c6a5a", "#7a7ab4")
STYLE = (
    "body{font:14px sans-serif;margin:24px;color:#222}text{font:12px sans-serif}"
    "table{border-collapse:collapse}td,th{padding:2px 10px;text-align:right}td:first-child{text-align:left}"
)


@dataclass(frozen=True)
class Bar:
    """A labelled length."""

    label: str
    value: int
    note: str


def profile_page(profile: ModelProfile, lowered: LoweredGraph, plan: MemoryPlan) -> str:
    """Cycles (instructions where there is no timing model) by layer, and the memory over time."""
    unit = "modelled cycles" if profile.cycles is not None else "instructions"
    bars = []
    for layer in profile.layers:
        value = layer.cycles if layer.cycles is not None else layer.instructions
        rate = layer.instructions_per_mac
        note = f"{value:,}" + ("" if rate is None else f", {rate:.2f} instructions a MAC")
        bars.append(Bar(f"{layer.index} {layer.op} ({layer.kernel})", value, note))
    title = f"{profile.model} on {profile.target}, {profile.mode}"
    total = profile.cycles if profile.cycles is not None else profile.instructions
    return _page(
        title,
        f"<h2>{total:,} {unit} an inference</h2>{_bars(bars)}"
        f"<h2>Memory: {html.escape(plan.describe())}</h2>{_plan(lowered, plan)}",
    )


def memory_page(title: str, lowered: LoweredGraph, plan: MemoryPlan, savings: Sequence[Sequence[str]]) -> str:
    """The plan, time by address, and what the modes would make of it."""
    rows = "".join(f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>" for row in savings)
    table = f"<table><tr><th>mode</th><th>arena</th><th>extra instructions</th></tr>{rows}</table>"
    return _page(title, f"<h2>{html.escape(plan.describe())}</h2>{_plan(lowered, plan)}<h2>Modes</h2>{table}")


def _page(title: str, body: str) -> str:
    name = html.escape(title)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title><style>{STYLE}</style>'
        f"<h1>{name}</h1>{body}</html>\n"
    )


def _bars(bars: Sequence[Bar]) -> str:
    most = max((bar.value for bar in bars), default=1) or 1
    room = WIDTH - LEFT - 20
    lines = []
    for row, bar in enumerate(bars):
        y = row * BAR
        length = max(1, bar.value * room // most)
        lines.append(
            f'<text x="0" y="{y + 13}">{html.escape(bar.label)}</text>'
            f'<rect x="{LEFT}" y="{y + 2}" width="{length}" height="{BAR - 4}" fill="{COLOURS[0]}">'
            f"<title>{html.escape(bar.note)}</title></rect>"
        )
    return _svg(WIDTH, len(bars) * BAR, lines)


def _plan(lowered: LoweredGraph, plan: MemoryPlan) -> str:
    """A rectangle a buffer: steps from left to right, addresses upwards."""
    steps = max((buffer.last + 1 for buffer in plan.buffers), default=1)
    size = max(1, plan.arena_bytes)
    lines = []
    for number, buffer in enumerate(plan.buffers):
        x = buffer.first * WIDTH // steps
        width = max(1, (buffer.last + 1) * WIDTH // steps - x)
        top = PLAN_HEIGHT - (buffer.offset + buffer.bytes) * PLAN_HEIGHT // size
        height = max(1, buffer.bytes * PLAN_HEIGHT // size)
        owner = ", ".join(buffer.tensors) if buffer.tensors else f"scratch of step {buffer.first}"
        note = f"{owner}: {buffer.bytes} bytes at {buffer.offset}, steps {buffer.first} to {buffer.last}"
        colour = COLOURS[number % len(COLOURS)]
        lines.append(
            f'<rect x="{x}" y="{top}" width="{width}" height="{height}" fill="{colour}" '
            f'fill-opacity="0.75" stroke="#fff"><title>{html.escape(note)}</title></rect>'
        )
    for step in range(steps):
        if step < len(lowered.steps):
            lines.append(
                f'<text x="{step * WIDTH // steps + 2}" y="{PLAN_HEIGHT + 14}">{step}'
                f"<title>{html.escape(lowered.steps[step].node.op)}</title></text>"
            )
    return _svg(WIDTH, PLAN_HEIGHT + 20, lines)


def _svg(width: int, height: int, lines: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}">{"".join(lines)}</svg>'
    )
