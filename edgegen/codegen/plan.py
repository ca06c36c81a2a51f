"""The memory plan: where every tensor lives, and the proof of how much that takes.

Graph inputs and outputs lie in the caller's buffers, constants in flash, state in a buffer of its own, and
everything else in one arena. Tensors that are the same bytes (reshapes) form a group; a result that may take
its operand's place, or grow over it row by row, is bound to it at a fixed distance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from edgegen.codegen.graph import Graph
from edgegen.codegen.lower import LoweredGraph, Step
from edgegen.codegen.placement import Block, Piece, live_bytes, lower_bound, place

COPY = "copy"
"""The kernel that only copies: its step vanishes where both sides can be one buffer."""


@dataclass(frozen=True)
class Location:
    """Where a tensor is: `kind` arena, input, output, constant or state; a byte offset or an index."""

    kind: str
    position: int


@dataclass(frozen=True)
class Buffer:
    """A part of the arena: the tensors in it, alive from the first to the last step, ends included."""

    tensors: tuple[str, ...]
    bytes: int
    first: int
    last: int
    offset: int


@dataclass(frozen=True, eq=False)
class MemoryPlan:
    """Locations by tensor, scratch offsets by step, arena and state sizes in bytes.

    Tensors that a region keeps in rings of rows have no location of their own.
    """

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
    blocks = _blocks(lowered, groups, alignment)
    bound = lower_bound(blocks, len(lowered.steps))
    starts, size = place(blocks, bound)
    buffers = tuple(
        Buffer(piece.tensors, piece.bytes, piece.first, piece.last, start + piece.offset)
        for block, start in zip(blocks, starts, strict=True)
        for piece in block
    )
    states, state_bytes = _place_states(lowered.graph, alignment)
    locations = {name: Location("arena", b.offset) for b in buffers for name in b.tensors}
    locations |= groups.fixed_locations() | states
    return MemoryPlan(
        locations=MappingProxyType(locations),
        scratch=MappingProxyType({b.first: b.offset for b in buffers if not b.tensors}),
        elided=groups.elided,
        buffers=buffers,
        arena_bytes=size,
        bound_bytes=bound,
        state_bytes=state_bytes,
        alignment=alignment,
    )


def live_arena_bytes(lowered: LoweredGraph, *, alignment: int) -> list[int]:
    """Bytes of the arena that each step needs at least; the largest is the plan's bound."""
    return live_bytes(_blocks(lowered, _Groups(lowered), alignment), len(lowered.steps))


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

    def last_use_of_group(self, name: str) -> int:
        root = self.find(name)
        return max(self.last_use.get(n, -1) for n in self.graph.tensors if self.find(n) == root)

    def _join(self, first: str, second: str) -> None:
        a, b = self.find(first), self.find(second)
        place = self._fixed.get(a) or self._fixed.get(b)
        self._parent[b] = a
        if place is not None:
            self._fixed[a] = place


def _blocks(lowered: LoweredGraph, groups: _Groups, alignment: int) -> list[Block]:
    """Everything that the arena has to hold: tensors, bound where they may overlap, and scratch."""
    blocks: dict[str, Block] = {root: (piece,) for root, piece in _pieces(lowered, groups, alignment).items()}
    for result, source, distance in _bonds(lowered, groups):
        _bind(blocks, groups.find(result), groups.find(source), _rounded(distance, alignment))
    distinct = {id(block): block for block in blocks.values()}
    return [*distinct.values(), *_scratch_blocks(lowered, alignment)]


def _pieces(lowered: LoweredGraph, groups: _Groups, alignment: int) -> dict[str, Piece]:
    """The groups that live in the arena, by root."""
    begins = {index: region.first for region in lowered.regions for index in region.steps}
    ends = {index: region.last for region in lowered.regions for index in region.steps}
    inside = {name for region in lowered.regions for name in region.inside}
    written = {
        name: begins.get(index, index)
        for index, step in enumerate(lowered.steps)
        for name in step.node.outputs
        if name not in inside
    }
    pieces = {}
    for root, members in sorted(groups.members().items()):
        if groups.fixed(root) is not None or not any(name in written for name in members):
            continue
        first = min(written[name] for name in members if name in written)
        last = max(max(groups.last_use.get(name, -1), written.get(name, -1)) for name in members)
        size = max(_rounded(lowered.graph.tensors[name].bytes, alignment) for name in members)
        pieces[root] = Piece(tuple(sorted(members)), 0, size, first, ends.get(last, last))
    return pieces


def _bonds(lowered: LoweredGraph, groups: _Groups) -> list[tuple[str, str, int]]:
    """(result, operand, distance): the operand dies then, and may begin so many bytes behind its result."""
    found = []
    inside = {index: region for region in lowered.regions for index in region.steps}
    for index, step in enumerate(lowered.steps):
        region = inside.get(index)
        if region is not None:
            candidates = region.overlaps if index == region.last else ()
            last = region.last
        else:
            candidates = tuple((step.view.input(p).name, 0) for p in step.call.in_place)
            last = index
        if not step.node.outputs or index in groups.elided:
            continue
        result = step.node.outputs[0]
        for source, distance in candidates:
            if _may_bind(groups, result, source, last, distance):
                found.append((result, source, distance))
                break
    return found


def _may_bind(groups: _Groups, result: str, source: str, last: int, distance: int) -> bool:
    free = groups.fixed(result) is None and groups.fixed(source) is None
    if not free or groups.last_use_of_group(source) > last:
        return False
    tensors = groups.graph.tensors
    return distance > 0 or tensors[result].bytes <= tensors[source].bytes


def _bind(blocks: dict[str, Block], result: str, source: str, distance: int) -> None:
    """One block of both, whose pieces of these roots keep their distance."""
    first, second = blocks[result], blocks[source]
    if first is second:
        return
    shift = _offset_of(first, result) + distance - _offset_of(second, source)
    joined = (*first, *(replace(piece, offset=piece.offset + shift) for piece in second))
    least = min(piece.offset for piece in joined)
    whole = tuple(replace(piece, offset=piece.offset - least) for piece in joined)
    for root, block in blocks.items():
        if block is first or block is second:
            blocks[root] = whole


def _offset_of(block: Block, root: str) -> int:
    return next(piece.offset for piece in block if root in piece.tensors)


def _last_uses(lowered: LoweredGraph) -> dict[str, int]:
    """The last step that reads each tensor, by regions the end of the region; outputs live on after all."""
    ends = {index: region.last for region in lowered.regions for index in region.steps}
    uses: dict[str, int] = {}
    for index, step in enumerate(lowered.steps):
        for name in step.node.inputs:
            if name is not None:
                uses[name] = ends.get(index, index)
    return uses | {name: len(lowered.steps) for name in lowered.graph.outputs}


def _scratch_blocks(lowered: LoweredGraph, alignment: int) -> list[Block]:
    inside = {index for region in lowered.regions for index in region.steps}
    needs = [(r.first, r.last, r.scratch_bytes) for r in lowered.regions]
    needs += [
        (index, index, step.call.scratch_bytes)
        for index, step in enumerate(lowered.steps)
        if index not in inside
    ]
    return [
        (Piece((), 0, _rounded(size, alignment), first, last),) for first, last, size in sorted(needs) if size
    ]


def _place_states(graph: Graph, alignment: int) -> tuple[dict[str, Location], int]:
    places: dict[str, Location] = {}
    at = 0
    for tensor in graph.states():
        places[tensor.name] = Location("state", at)
        at += _rounded(tensor.bytes, alignment)
    return places, at


def _rounded(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment
