"""resize_nearest_neighbor: an image in another size, each pixel the nearest of the original."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import Int64
from edgegen.codegen.graph import Array, Attributes
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement
from edgegen.codegen.ops.resizing import (
    ResizeAttributes,
    output_size,
    read_resize_options,
    resize_attributes,
    write_resize_options,
)
from edgegen.codegen.ops.tables import round_half_away


class ResizeNearestNeighbor(Movement):
    """Input 1 is the constant height and width of the output."""

    name = "resize_nearest_neighbor"
    attributes = ResizeAttributes
    tflite = "RESIZE_NEAREST_NEIGHBOR"
    tflite_options = "ResizeNearestNeighborOptions"
    constraints = "the size constant"
    any_channels = True

    def output_shape(self, view: NodeView) -> tuple[int, ...]:
        height, width = output_size(view)
        shape = view.input(0).shape
        return (shape[0], height, width, shape[3])

    def move(self, view: NodeView, x: Array) -> Array:
        height, width = output_size(view)
        rows = _nearest(view, view.input(0).shape[1], height)
        columns = _nearest(view, view.input(0).shape[2], width)
        return x[:, :, rows][:, :, :, columns]

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        return read_resize_options(options, view)

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return write_resize_options(view)


OPERATOR = ResizeNearestNeighbor()


def _nearest(view: NodeView, size: int, wanted: int) -> Int64:
    """The source of each output position, computed in float32 as TFLM does (GetNearestNeighbor)."""
    attributes = resize_attributes(view)
    aligned = attributes.align_corners and wanted > 1
    scale = (
        np.float32(size - 1) / np.float32(wanted - 1) if aligned else np.float32(size) / np.float32(wanted)
    )
    centre = np.float32(0.5) if attributes.half_pixel_centers else np.float32(0)
    place = (np.arange(wanted, dtype=np.float32) + centre) * scale
    nearest = round_half_away(place) if attributes.align_corners else np.floor(place).astype(np.int64)
    clipped: Int64 = np.clip(nearest, 0, size - 1)
    return clipped
