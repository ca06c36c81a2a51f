"""resize_bilinear: an image in another size, each pixel a mean of four of the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import Int64
from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.axes import speaks_of_channels
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType
from edgegen.codegen.ops.resizing import (
    ResizeAttributes,
    output_size,
    read_resize_options,
    resize_attributes,
    write_resize_options,
)

FRACTION_BITS = 10


@dataclass(frozen=True, eq=False)
class ResizeBilinearParams(Params):
    """For each output row and column: the two sources, and the second one's share in 1/1024.

    Shares may leave 0 to 1024 where both sources are the same border pixel.
    """

    row_low: Array
    row_high: Array
    row_share: Array
    column_low: Array
    column_high: Array
    column_share: Array
    batch: int
    in_h: int
    in_w: int
    channels: int
    out_h: int
    out_w: int


class ResizeBilinear(Operator):
    """Input 1 is the constant height and width of the output."""

    name = "resize_bilinear"
    attributes = ResizeAttributes
    tflite = "RESIZE_BILINEAR"
    tflite_options = "ResizeBilinearOptions"
    constraints = "the size constant; input and output of one quantisation"
    monotone = True
    keeps_quantization = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        height, width = output_size(view)
        x = view.input(0)
        attributes = resize_attributes(view)
        if attributes.align_corners and attributes.half_pixel_centers:
            raise view.error("takes aligned corners or half-pixel centres, not both")
        return (TensorType((x.shape[0], height, width, x.shape[3]), x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        rows, columns = (_sources(view, axis) for axis in (0, 1))
        return (_interpolate(x, rows, columns, 1 << FRACTION_BITS).astype(x.dtype),)

    def prepare(self, view: NodeView) -> ResizeBilinearParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype is not DType.INT8 or y.dtype is not DType.INT8:
            raise view.error(f"takes and gives int8, got {x.describe()} and {y.describe()}")
        rows, columns = (_sources(view, axis) for axis in (0, 1))
        return ResizeBilinearParams(
            row_low=rows[0].astype(np.int32),
            row_high=rows[1].astype(np.int32),
            row_share=rows[2].astype(np.int32),
            column_low=columns[0].astype(np.int32),
            column_high=columns[1].astype(np.int32),
            column_share=columns[2].astype(np.int32),
            batch=x.shape[0],
            in_h=x.shape[1],
            in_w=x.shape[2],
            channels=x.shape[3],
            out_h=y.shape[1],
            out_w=y.shape[2],
        )

    def run_int(self, params: ResizeBilinearParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        rows = p.row_low, p.row_high, p.row_share.astype(np.int64)
        columns = p.column_low, p.column_high, p.column_share.astype(np.int64)
        sums = _interpolate(inputs[0].astype(np.int64), rows, columns, 1)
        nudged = np.abs(sums) + (1 << (2 * FRACTION_BITS - 1))
        return ((np.sign(sums) * (nudged >> (2 * FRACTION_BITS))).astype(np.int8),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="resize_bilinear", params=params)

    def channel_sources(self, view: NodeView) -> Array | None:
        channels = view.input(0).shape[-1]
        return None if speaks_of_channels(view, channels) else np.arange(channels)

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        return read_resize_options(options, view)

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return write_resize_options(view)


OPERATOR = ResizeBilinear()

Sources = tuple[Array, Array, Array]


def _sources(view: NodeView, axis: int) -> Sources:
    """Sources and shares along one axis (TFLM ComputeInterpolationValuesInteger)."""
    attributes = resize_attributes(view)
    size, wanted = view.input(0).shape[1 + axis], output_size(view)[axis]
    unit = 1 << FRACTION_BITS
    scale = (unit * size + wanted // 2) // wanted
    if attributes.align_corners and wanted > 1:
        scale = (unit * (size - 1) + (wanted - 1) // 2) // (wanted - 1)
    place = np.arange(wanted, dtype=np.int64) * scale
    if attributes.half_pixel_centers:
        place = place + scale // 2 - unit // 2
    low = np.clip(_towards_zero(place), 0, size - 1)
    high = np.clip(_towards_zero(place + unit - 1), 0, size - 1)
    return low, high, place - unit * low


def _towards_zero(place: Int64) -> Int64:
    whole: Int64 = np.sign(place) * (np.abs(place) >> FRACTION_BITS)
    return whole


def _interpolate(x: Array, rows: Sources, columns: Sources, unit: int) -> Array:
    """Weighted sums of the four sources of (V, N, H, W, C); weights are divided by `unit` along each axis."""
    one = 1 << FRACTION_BITS
    share = rows[2][:, np.newaxis, np.newaxis]
    mixed = x[:, :, rows[0]] * (one - share) + x[:, :, rows[1]] * share
    mixed = mixed if unit == 1 else mixed / unit
    share = columns[2][:, np.newaxis]
    both: Array = mixed[..., columns[0], :] * (one - share) + mixed[..., columns[1], :] * share
    return both if unit == 1 else both / unit
