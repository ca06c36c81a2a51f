"""Placing blocks of memory at the lowest addresses where none meets another that lives at the same time.

A block is one or several pieces with fixed distances between them: a tensor and the one that grows over it
keep their distance wherever the block goes.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

ATTEMPTS = 1000
"""Orders of placement that are tried while the bound is not met."""
WORK = 4_000_000
"""Pairs of pieces that these attempts may compare, so that a large graph does not take minutes."""


@dataclass(frozen=True)
class Piece:
    """Bytes from `offset` on, counted from the block's start, alive from the first to the last step."""

    tensors: tuple[str, ...]
    offset: int
    bytes: int
    first: int
    last: int

    @property
    def end(self) -> int:
        return self.offset + self.bytes

    def meets(self, other: Piece) -> bool:
        """Whether both are alive in some step."""
        return self.first <= other.last and other.first <= self.last


Block = tuple[Piece, ...]


def lower_bound(blocks: Sequence[Block], steps: int) -> int:
    """No placement can do with less than the bytes that are alive in one step."""
    return max(live_bytes(blocks, steps), default=0)


def live_bytes(blocks: Sequence[Block], steps: int) -> list[int]:
    """Bytes alive in each step."""
    return [sum(_live(block, step) for block in blocks) for step in range(steps)]


def place(blocks: Sequence[Block], bound: int) -> tuple[list[int], int]:
    """Offsets by first fit in the best order found, and the size that takes; deterministic."""
    best_order: list[int] = []
    best: tuple[list[int], int] | None = None
    for order in _simple_orders(blocks):
        best_order, best = _better(blocks, order, best_order, best)
    assert best is not None
    if best[1] > bound:
        shuffler = random.Random(0)
        pieces = sum(map(len, blocks))
        for _ in range(min(ATTEMPTS, WORK // pieces**2)):
            order = _swapped(best_order, shuffler)
            best_order, best = _better(blocks, order, best_order, best)
            if best[1] == bound:
                break
    return best


def _live(block: Block, step: int) -> int:
    """Bytes of a block that are alive in a step; pieces that overlap count once."""
    total = end = 0
    for piece in sorted(block, key=lambda piece: piece.offset):
        if piece.first <= step <= piece.last:
            total += max(0, piece.end - max(end, piece.offset))
            end = max(end, piece.end)
    return total


def _better(
    blocks: Sequence[Block], order: list[int], best_order: list[int], best: tuple[list[int], int] | None
) -> tuple[list[int], tuple[list[int], int]]:
    """The order tried now if it is no worse than the best so far."""
    offsets = _first_fit(blocks, order)
    size = max((at + _size(block) for at, block in zip(offsets, blocks, strict=True)), default=0)
    return (order, (offsets, size)) if best is None or size <= best[1] else (best_order, best)


def _size(block: Block) -> int:
    return max(piece.end for piece in block)


def _simple_orders(blocks: Sequence[Block]) -> Iterable[list[int]]:
    """By time, by length of life, by size times life, by size."""
    indices = range(len(blocks))
    firsts = [min(piece.first for piece in block) for block in blocks]
    lives = [max(p.last for p in block) - first + 1 for block, first in zip(blocks, firsts, strict=True)]
    sizes = [_size(block) for block in blocks]
    yield sorted(indices, key=lambda i: (firsts[i], -sizes[i], i))
    yield sorted(indices, key=lambda i: (-lives[i], -sizes[i], i))
    yield sorted(indices, key=lambda i: (-sizes[i] * lives[i], i))
    yield sorted(indices, key=lambda i: (-sizes[i], firsts[i], i))


def _swapped(order: Sequence[int], shuffler: random.Random) -> list[int]:
    swapped = list(order)
    a, b = shuffler.randrange(len(order)), shuffler.randrange(len(order))
    swapped[a], swapped[b] = swapped[b], swapped[a]
    return swapped


def _first_fit(blocks: Sequence[Block], order: Sequence[int]) -> list[int]:
    offsets = [0] * len(blocks)
    placed: list[tuple[int, Piece]] = []
    for index in order:
        block = blocks[index]
        taken = sorted(
            (at + other.offset - piece.end, at + other.end - piece.offset)
            for at, other in placed
            for piece in block
            if piece.meets(other)
        )
        lowest = 0
        for start, end in taken:  # where this block must not begin, ends excluded
            if start < lowest < end:
                lowest = end
        offsets[index] = lowest
        placed += [(lowest, piece) for piece in block]
    return offsets
