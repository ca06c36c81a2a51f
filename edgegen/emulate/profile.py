"""Instruction counts of one invocation: executed blocks become counts per address, then per function.

Emulators cut code into blocks at places of their own choosing. Counted by address, the result does not depend
on the cuts, so two emulators can be compared number by number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from edgegen.emulate.blocks import Block
from edgegen.emulate.image import ElfImage, Symbol
from edgegen.emulate.layers import CALLERS, OUTSIDE, LayerCost, Stretch, by_layer


@dataclass(frozen=True)
class InstructionCount:
    """How often the instruction at an address ran, how often it jumped, and its modelled cycles in total."""

    count: int
    taken: int
    cycles: int | None = None


class Decoded(Protocol):
    """The part of capstone's instruction that is used here."""

    address: int
    size: int


Decoder = Callable[[int], Decoded]


@dataclass(frozen=True)
class Profile:
    """Counts of one invocation, address by address. The harness itself is left out."""

    image: ElfImage
    counts: Mapping[int, InstructionCount]

    @property
    def instructions(self) -> int:
        """Instructions executed."""
        return sum(entry.count for entry in self.counts.values())

    @property
    def cycles(self) -> int | None:
        """Modelled cycles, None where there is no model."""
        return _sum_cycles(self.counts.values())

    def between(self, start: int, end: int) -> InstructionCount:
        """Total of the addresses start <= address < end."""
        inside = [entry for address, entry in self.counts.items() if start <= address < end]
        return InstructionCount(
            sum(entry.count for entry in inside), sum(entry.taken for entry in inside), _sum_cycles(inside)
        )

    def by_function(self) -> dict[Symbol, InstructionCount]:
        """Self counts of every function that ran, largest first. Code outside functions is left out."""
        ran = {self.image.function_at(address) for address in self.counts}
        totals = {
            function: self.between(function.address, function.address + function.size)
            for function in ran
            if function is not None
        }
        return dict(sorted(totals.items(), key=lambda item: (-item[1].count, item[0].address)))


def layer_costs(
    stretches: Sequence[Stretch], image: ElfImage, profile: Callable[[ElfImage, list[Block]], Profile]
) -> dict[int, LayerCost]:
    """What each layer cost in an invocation; what only calls kernels goes to OUTSIDE."""
    costs: dict[int, LayerCost] = {}
    outside: list[InstructionCount] = []
    for layer, (blocks, stack) in by_layer(stretches).items():
        counts = profile(image, blocks).counts
        own: list[InstructionCount] = []
        functions: set[Symbol] = set()
        for address, entry in counts.items():
            function = image.function_at(address)
            called = layer != OUTSIDE and function is not None and not CALLERS.fullmatch(function.name)
            (own if called else outside).append(entry)
            functions |= {function} if called and function is not None else set()
        if layer != OUTSIDE:
            size = sum(function.size for function in functions)
            costs[layer] = LayerCost(sum(e.count for e in own), _sum_cycles(own), stack, size)
    costs[OUTSIDE] = LayerCost(sum(e.count for e in outside), _sum_cycles(outside), 0, 0)
    return costs


def _sum_cycles(entries: Iterable[InstructionCount]) -> int | None:
    cycles = [entry.cycles for entry in entries]
    known = [value for value in cycles if value is not None]
    return sum(known) if len(known) == len(cycles) else None


def expand(blocks: Iterable[Block], decode: Decoder) -> dict[int, InstructionCount]:
    """Counts by address. A jump is charged to the last instruction of its block."""
    counts: dict[int, int] = {}
    taken: dict[int, int] = {}
    for block in blocks:
        address = last = block.address
        while address < block.address + block.size:
            counts[address] = counts.get(address, 0) + block.count
            last, address = address, address + decode(address).size
        taken[last] = taken.get(last, 0) + block.taken
    return {
        address: InstructionCount(count, taken.get(address, 0)) for address, count in sorted(counts.items())
    }


def without_harness(counts: Mapping[int, InstructionCount], image: ElfImage) -> dict[int, InstructionCount]:
    """Only what the model does: marks and caller are within the measured stretch, but not the model's."""
    kept: dict[int, InstructionCount] = {}
    for address, entry in counts.items():
        function = image.function_at(address)
        if function is None or not (function.name.startswith("harness_") or function.name == "main"):
            kept[address] = entry
    return kept
