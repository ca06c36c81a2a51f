"""Choosing regions: which layers run row by row, for a small arena at a price that the mode allows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from edgegen.codegen.lower import LoweredGraph
from edgegen.codegen.plan import live_arena_bytes
from edgegen.codegen.regions import Region, make_region

LONGEST = 16
"""Layers of a region at most."""
PRICE = {"balanced": 0.02, "speed": 0.0, "size": 0.0, "ram": 1.0}
"""The share of a model's instructions that regions may cost, by mode."""
WORTH = {"balanced": 0.05, "speed": 0.05, "size": 0.05, "ram": 0.001}
"""The share of the arena that each region has to save, by mode."""


@dataclass(frozen=True)
class _Attempt:
    regions: tuple[Region, ...]
    live: tuple[int, ...]
    """Bytes alive by step, the largest first."""

    @property
    def price(self) -> int:
        return sum(region.extra_instructions for region in self.regions)


def run_by_rows(lowered: LoweredGraph, *, alignment: int, mode: str) -> LoweredGraph:
    """The same schedule with the regions that pay in this mode. The same input gives the same choice."""
    limit = PRICE[mode] * sum(min(c.cycles for c in s.choices) for s in lowered.steps if s.choices)
    best = _attempt(lowered, (), alignment)
    candidates = _candidates(lowered)
    while True:
        allowed = best.live[0] * (1 - WORTH[mode]) if best.live else 0
        found = [
            attempt
            for region in candidates
            if not any(_touch(region, other) for other in best.regions)
            for attempt in [_attempt(lowered, (*best.regions, region), alignment)]
            if attempt.price <= limit and attempt.live[0] <= allowed
        ]
        if not found:
            return replace(lowered, regions=tuple(sorted(best.regions, key=lambda region: region.first)))
        best = min(found, key=lambda attempt: (attempt.live[0], attempt.price, attempt.regions[-1].first))


def _candidates(lowered: LoweredGraph) -> list[Region]:
    steps = lowered.steps
    found = []
    for first in range(len(steps)):
        for last in range(first + 1, min(first + LONGEST, len(steps))):
            if steps[last].call.rows is None:
                break
            region = make_region(steps, first, last, lowered.graph.outputs)
            if region is not None:
                found.append(region)
    return found


def _attempt(lowered: LoweredGraph, regions: Sequence[Region], alignment: int) -> _Attempt:
    live = live_arena_bytes(replace(lowered, regions=tuple(regions)), alignment=alignment)
    return _Attempt(tuple(regions), tuple(sorted(live, reverse=True)))


def _touch(first: Region, second: Region) -> bool:
    return first.first <= second.last and second.first <= first.last
