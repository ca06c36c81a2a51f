"""Telling layers apart in a run, without a byte of code for it: by the parameters that a kernel is given.

A kernel's first argument is the address of its layer's parameters, `l<index>` in the image. From one such
call to the next everything counts for that layer, but for the functions that only call kernels.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edgegen.emulate.blocks import Block
from edgegen.emulate.image import ElfImage

OUTSIDE = -1
"""The "layer" of what is executed before the first kernel."""
CALLERS = re.compile(r"run|rows_\d+_to_\d+|\w+_(invoke|invoke_with|row_window|row_fill|row_copy)")
"""Functions that call kernels, and those that lay out rows for them."""


@dataclass(frozen=True)
class Stretch:
    """What ran from a layer's call to the next one: blocks of code, and the deepest stack in bytes."""

    layer: int
    blocks: tuple[Block, ...]
    stack_bytes: int


@dataclass(frozen=True)
class LayerCost:
    """One layer in one invocation. `code_bytes` are the functions that ran for it, shared ones included."""

    instructions: int
    cycles: int | None
    stack_bytes: int
    code_bytes: int


def parameters_of(image: ElfImage) -> dict[int, int]:
    """Layers by the address of their parameters."""
    named = ((re.fullmatch(r"l(\d+)", name), address) for name, address in image.labels.items())
    return {address: int(match[1]) for match, address in named if match is not None}


def entries_of(image: ElfImage) -> list[int]:
    """Addresses where a kernel may begin."""
    return [f.address for f in image.functions if not CALLERS.fullmatch(f.name)]


def by_layer(stretches: Sequence[Stretch]) -> Mapping[int, tuple[list[Block], int]]:
    """The blocks of each layer, and its deepest stack; a layer that runs by rows has many stretches."""
    found: dict[int, tuple[list[Block], int]] = {}
    for stretch in stretches:
        blocks, deepest = found.setdefault(stretch.layer, ([], 0))
        found[stretch.layer] = (blocks, max(deepest, stretch.stack_bytes))
        blocks.extend(stretch.blocks)
    return found
