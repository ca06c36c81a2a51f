"""Executed code, as emulators see it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Block:
    """A run of instructions: executed `count` times, and `taken` times left by a jump instead of its end."""

    address: int
    size: int
    count: int
    taken: int
