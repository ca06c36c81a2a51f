"""Placement: no two pieces that live together overlap, but as their block says; the bound is a bound."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from edgegen.codegen.placement import Block, Piece, live_bytes, lower_bound, place

STEPS = 8


@st.composite
def blocks(draw: st.DrawFn) -> list[Block]:
    """Single pieces, and chains of two that keep a distance."""
    found: list[Block] = []
    for number in range(draw(st.integers(1, 9))):
        pieces = []
        for part in range(draw(st.integers(1, 2))):
            first = draw(st.integers(0, STEPS - 1))
            last = draw(st.integers(first, STEPS - 1))
            offset = 4 * draw(st.integers(0, 5)) if part else 0
            pieces.append(Piece((f"t{number}.{part}",), offset, 4 * draw(st.integers(1, 12)), first, last))
        found.append(tuple(pieces))
    return found


@settings(max_examples=300, deadline=None)
@given(blocks())
def test_nothing_that_lives_together_overlaps(drawn: list[Block]) -> None:
    bound = lower_bound(drawn, STEPS)
    starts, size = place(drawn, bound)
    assert size >= bound == max(live_bytes(drawn, STEPS))
    assert min(starts) >= 0
    placed = [
        (n, at, piece) for n, (at, block) in enumerate(zip(starts, drawn, strict=True)) for piece in block
    ]
    assert size == max(at + piece.end for _, at, piece in placed)
    for (first, at, a), (second, other, b) in combinations(placed, 2):
        apart = at + a.end <= other + b.offset or other + b.end <= at + a.offset
        assert first == second or not a.meets(b) or apart
    assert place(drawn, bound) == (starts, size)


def test_a_piece_that_grows_over_another_counts_the_bytes_of_both_once() -> None:
    grown: Block = (Piece(("y",), 0, 100, 1, 2), Piece(("x",), 40, 80, 0, 1))
    other: Block = (Piece(("z",), 0, 30, 1, 1),)
    assert live_bytes([grown, other], 3) == [80, 150, 100]
    starts, size = place([grown, other], 150)
    assert size == 150 and sorted(starts) in ([0, 30], [0, 120])
