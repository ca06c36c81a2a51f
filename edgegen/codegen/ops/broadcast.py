"""Broadcasting of two operands for elementwise kernels: one list of loops with a step for each operand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView

LOOPS = 6
"""Loops of the C kernels; TFLM broadcasts up to this rank too."""


@dataclass(frozen=True)
class Broadcast:
    """Loop counts, outermost first, and how far each operand moves a step; adjacent loops are merged."""

    size: tuple[int, ...]
    first_step: tuple[int, ...]
    second_step: tuple[int, ...]


def broadcast_shape(view: NodeView) -> tuple[int, ...]:
    """The common shape of the first two inputs. Raises ModelError where they do not go together."""
    first, second = view.input(0), view.input(1)
    try:
        shape = np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        raise view.error(f"{first.describe()} and {second.describe()} do not broadcast") from None
    if len(shape) > LOOPS:
        raise view.error(f"broadcasts up to {LOOPS} dimensions, got {len(shape)}")
    return shape


def plan_broadcast(first: Sequence[int], second: Sequence[int]) -> Broadcast:
    """The fewest loops that run over both operands."""
    shape = np.broadcast_shapes(tuple(first), tuple(second))
    loops: list[tuple[int, int, int]] = []
    for size, a, b in zip(shape, _steps(first, shape), _steps(second, shape), strict=True):
        if size == 1:
            continue
        if loops and loops[-1][1] == a * size and loops[-1][2] == b * size:
            loops[-1] = (loops[-1][0] * size, a, b)
        else:
            loops.append((size, a, b))
    padded = [(1, 0, 0)] * (LOOPS - len(loops)) + loops
    sizes, firsts, seconds = zip(*padded, strict=True)
    return Broadcast(size=sizes, first_step=firsts, second_step=seconds)


def aligned(x: Array, rank: int) -> Array:
    """(V, *shape) with ones after the vectors' axis, so that NumPy broadcasts the rest as the kernel does."""
    return x.reshape(x.shape[0], *(1,) * (rank - (x.ndim - 1)), *x.shape[1:])


def _steps(operand: Sequence[int], shape: Sequence[int]) -> list[int]:
    """Elements to the next index of each axis; 0 where the operand is repeated."""
    full = [1] * (len(shape) - len(operand)) + list(operand)
    steps = [int(np.prod(full[axis + 1 :])) for axis in range(len(full))]
    return [0 if size == 1 else step for size, step in zip(full, steps, strict=True)]
