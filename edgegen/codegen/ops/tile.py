"""tile: a tensor several times along each axis. TensorFlow Lite Micro has no kernel of it."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.axes import per_axis
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement


class Tile(Movement):
    """Input 1 holds the constant number of repetitions along each axis."""

    name = "tile"
    tflite = "TILE"
    tflite_options = "TileOptions"
    constraints = "the repetitions constant; not in TensorFlow Lite Micro"

    def output_shape(self, view: NodeView) -> tuple[int, ...]:
        shape = view.input(0).shape
        return tuple(size * times for size, times in zip(shape, _times(view), strict=True))

    def move(self, view: NodeView, x: Array) -> Array:
        return np.tile(x, (1, *_times(view)))


OPERATOR = Tile()


def _times(view: NodeView) -> tuple[int, ...]:
    times = per_axis(view, 1, "the repetitions", len(view.input(0).shape))
    if min(times, default=1) < 1:
        raise view.error(f"repeats at least once along each axis, got {list(times)}")
    return times
