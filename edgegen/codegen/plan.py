"""The memory plan: where every tensor lives, and the proof of how much that takes.

Graph inputs and outputs lie in the caller's buffers, constants in flash, state in a buffer of its own, and
everything else in one arena. Tensors that can share a buffer (reshapes, in-place kernels) form a group.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from edgegen.codegen.graph import Graph, Tensor
from edgegen.codegen.lower import LoweredGraph, Step

COPY = "copy"
"""The kernel that only copies: its step vanishes where both sides can be one buffer."""
ATTEMPTS = 1000
"""Orders of placement that are tried while the bound is not met."""
WORK = 4_000_000
"""Pairs of blocks that these attempts may compare, so that a large graph does not take minutes."""


@dataclass(frozen=True)
class Location:
    """Where a tensor is: `kind` arena, input, output, constant or state; a byte offset or an index."""

    kind: str
    position: int


@dataclass(frozen=True)
class Buffer:
    """A block of the arena: the tensors in it, alive from the first to the last step, ends included."""

    tensors: tuple[str, ...]
    bytes: int
    first: int
    last: int
    offset: int


@dataclass(frozen=True, eq=False)
class MemoryPlan:
    """Locations by tensor, scratch offsets by step, arena and state sizes in bytes."""

    locations: Mapping[str, Location]
    scratch: Mapping[int, int]
    elided: frozenset[int]
    buffers: tuple[Buffer, ...]
    arena_bytes: int
    bound_bytes: int
    state_bytes: int
    alignment: int

    @property
    def optimal(self) -> bool:
        return self.arena_bytes == self.bound_bytes

    def describe(self) -> str:
        """The peak and what proves it."""
        if self.optimal:
            return f"arena {self.arena_bytes} bytes: optimal, the live tensors of one step need as much"
        gap = self.arena_bytes - self.bound_bytes
        return f"arena {self.arena_bytes} bytes; lower bound {self.bound_bytes}, gap {gap}"


def plan_memory(lowered: LoweredGraph, *, alignment: int) -> MemoryPlan:
    """Place every tensor of a lowered graph. The same graph gives the same plan."""
    groups = _Groups(lowered)
    blocks = [*_tensor_blocks(lowered, groups, alignment), *_scratch_blocks(lowered, alignment)]
    bound = _bound(blocks, len(lowered.steps))
    offsets, size = _place(blocks, bound)
    buffers = tuple(
        Buffer(block.tensors, block.bytes, block.first, block.last, offset)
        for block, offset in zip(blocks, offsets, strict=True)
    )
    states, state_bytes = _place_states(lowered.graph, alignment)
    locations = {name: Location("arena", b.offset) for b in buffers for name in b.tensors}
    locations |= groups.fixed_locations() | states
    scratch = {
        block.first: offset for block, offset in zip(blocks, offsets, strict=True) if not block.tensors
    }
    return MemoryPlan(
        locations=MappingProxyType(locations),
        scratch=MappingProxyType(scratch),
        elided=groups.elided,
        buffers=buffers,
        arena_bytes=size,
        bound_bytes=bound,
        state_bytes=state_bytes,
        alignment=alignment,
    )


class _Groups:
    """Tensors that share a buffer, by union; each group has at most one fixed place outside the arena."""

    def __init__(self, lowered: LoweredGraph) -> None:
        self.graph = lowered.graph
        self._parent = {name: name for name in self.graph.tensors}
        self._fixed: dict[str, Location] = {}
        for position, name in enumerate(self.graph.inputs):
            self._fixed[name] = Location("input", position)
        for position, name in enumerate(self.graph.outputs):
            self._fixed.setdefault(name, Location("output", position))
        for tensor in self.graph.tensors.values():
            if tensor.state:
                self._fixed[tensor.name] = Location("state", 0)
            elif tensor.constant:
                self._fixed[tensor.name] = Location("constant", 0)
        self.last_use = _last_uses(lowered)
        self.elided = frozenset(index for index, step in enumerate(lowered.steps) if self._elide(step))
        for index, step in enumerate(lowered.steps):
            if index not in self.elided:
                self._share(index, step)

    def find(self, name: str) -> str:
        while self._parent[name] != name:
            name = self._parent[name]
        return name

    def members(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.graph.tensors:
            found.setdefault(self.find(name), []).append(name)
        return found

    def fixed(self, name: str) -> Location | None:
        return self._fixed.get(self.find(name))

    def fixed_locations(self) -> dict[str, Location]:
        located = ((name, self.fixed(name)) for name in self.graph.tensors)
        return {name: location for name, location in located if location is not None}

    def _elide(self, step: Step) -> bool:
        """A copy is no step if source and result can be the same bytes all along."""
        if step.call.kernel != COPY:
            return False
        source, result = step.view.input(step.call.inputs[0]), step.view.outputs[0]
        places = self.fixed(source.name), self.fixed(result.name)
        if source.state or source.bytes != result.bytes or (places[0] is not None and places[1] is not None):
            return False
        self._join(source.name, result.name)
        return True

    def _share(self, index: int, step: Step) -> None:
        """The first output takes the buffer of an input that nobody needs any more."""
        result = step.view.outputs[0] if step.view.outputs else None
        if result is None or self.fixed(result.name) is not None:
            return
        for position in step.call.in_place:
            source = step.view.input(position)
            dying = self._last_use_of_group(source.name) == index
            if dying and self.fixed(source.name) is None and source.bytes == result.bytes:
                self._join(source.name, result.name)
                return

    def _last_use_of_group(self, name: str) -> int:
        root = self.find(name)
        return max(self.last_use.get(n, -1) for n in self.graph.tensors if self.find(n) == root)

    def _join(self, first: str, second: str) -> None:
        a, b = self.find(first), self.find(second)
        place = self._fixed.get(a) or self._fixed.get(b)
        self._parent[b] = a
        if place is not None:
            self._fixed[a] = place


@dataclass(frozen=True)
class _Block:
    tensors: tuple[str, ...]
    bytes: int
    first: int
    last: int


def _last_uses(lowered: LoweredGraph) -> dict[str, int]:
    """The last step that reads each tensor; graph outputs live on after the last step."""
    uses: dict[str, int] = {}
    for index, step in enumerate(lowered.steps):
        for name in step.node.inputs:
            if name is not None:
                uses[name] = index
    return uses | {name: len(lowered.steps) for name in lowered.graph.outputs}


def _tensor_blocks(lowered: LoweredGraph, groups: _Groups, alignment: int) -> list[_Block]:
    written = {name: index for index, step in enumerate(lowered.steps) for name in step.node.outputs}
    blocks = []
    for root, members in sorted(groups.members().items()):
        if groups.fixed(root) is not None or not any(name in written for name in members):
            continue
        first = min(written[name] for name in members if name in written)
        last = max(max(groups.last_use.get(name, -1), written.get(name, -1)) for name in members)
        size = max(_rounded(lowered.graph.tensors[name].bytes, alignment) for name in members)
        blocks.append(_Block(tuple(sorted(members)), size, first, last))
    return blocks


def _scratch_blocks(lowered: LoweredGraph, alignment: int) -> list[_Block]:
    return [
        _Block((), _rounded(step.call.scratch_bytes, alignment), index, index)
        for index, step in enumerate(lowered.steps)
        if step.call.scratch_bytes
    ]


def _bound(blocks: Sequence[_Block], steps: int) -> int:
    """No plan can do with less than the blocks that are alive in one step."""
    return max(
        (sum(b.bytes for b in blocks if b.first <= index <= b.last) for index in range(steps)), default=0
    )


def _place(blocks: Sequence[_Block], bound: int) -> tuple[list[int], int]:
    """Offsets by first fit, in the best order found; deterministic."""
    best_order: list[int] = []
    best: tuple[list[int], int] | None = None
    for order in _simple_orders(blocks):
        best_order, best = _better(blocks, order, best_order, best)
    assert best is not None
    if best[1] > bound:
        shuffler = random.Random(0)
        for _ in range(min(ATTEMPTS, WORK // len(blocks) ** 2)):
            order = _swapped(best_order, shuffler)
            best_order, best = _better(blocks, order, best_order, best)
            if best[1] == bound:
                break
    return best


def _better(
    blocks: Sequence[_Block], order: list[int], best_order: list[int], best: tuple[list[int], int] | None
) -> tuple[list[int], tuple[list[int], int]]:
    """The order tried now if it is no worse than the best so far."""
    offsets = _first_fit(blocks, order)
    size = max((offset + block.bytes for offset, block in zip(offsets, blocks, strict=True)), default=0)
    return (order, (offsets, size)) if best is None or size <= best[1] else (best_order, best)


def _simple_orders(blocks: Sequence[_Block]) -> Iterable[list[int]]:
    """By size, by time, by length of life, by size times life."""
    indices = range(len(blocks))
    lives = [block.last - block.first + 1 for block in blocks]
    yield sorted(indices, key=lambda i: (blocks[i].first, -blocks[i].bytes, i))
    yield sorted(indices, key=lambda i: (-lives[i], -blocks[i].bytes, i))
    yield sorted(indices, key=lambda i: (-blocks[i].bytes * lives[i], i))
    yield sorted(indices, key=lambda i: (-blocks[i].bytes, blocks[i].first, i))


def _swapped(order: Sequence[int], shuffler: random.Random) -> list[int]:
    swapped = list(order)
    a, b = shuffler.randrange(len(order)), shuffler.randrange(len(order))
    swapped[a], swapped[b] = swapped[b], swapped[a]
    return swapped


def _first_fit(blocks: Sequence[_Block], order: Sequence[int]) -> list[int]:
    offsets = [0] * len(blocks)
    placed: list[int] = []
    for index in order:
        block = blocks[index]
        rivals = sorted(
            (offsets[other], blocks[other].bytes)
            for other in placed
            if blocks[other].first <= block.last and block.first <= blocks[other].last
        )
        at = 0
        for offset, size in rivals:
            if at + block.bytes <= offset:
                break
            at = max(at, offset + size)
        offsets[index] = at
        placed.append(index)
    return offsets


def _place_states(graph: Graph, alignment: int) -> tuple[dict[str, Location], int]:
    places: dict[str, Location] = {}
    at = 0
    for tensor in graph.states():
        places[tensor.name] = Location("state", at)
        at += _rounded(tensor.bytes, alignment)
    return places, at


def _rounded(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def tensors_in(plan: MemoryPlan, graph: Graph, kind: str) -> list[Tensor]:
    """The tensors of one kind of location, in order of position."""
    named = [(place.position, name) for name, place in plan.locations.items() if place.kind == kind]
    return [graph.tensors[name] for _, name in sorted(named)]
