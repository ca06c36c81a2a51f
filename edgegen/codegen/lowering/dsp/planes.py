"""3x3 depthwise convolutions by planes of four channels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.lowering.dsp.depthwise import depthwise_rows
from edgegen.codegen.lowering.dsp.packing import BLOCK, is_fast, requantisation
from edgegen.codegen.lowering.tools import folded_bias, rows_may_grow
from edgegen.codegen.ops.base import Call, Params
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dParams

EXTRA_OF_ROWS = 8
"""Instructions that an output of a 3x3 depthwise layer costs more by rows than by planes."""


@dataclass(frozen=True, eq=False)
class DepthwiseConv2dPlanesParams(Params):
    """See kernels/depthwise_conv2d_planes.h."""

    weights: Array
    records: Array
    right: Array
    channels: int
    in_h: int
    in_w: int
    in_row_bytes: int
    in_pixel_bytes: int
    out_h: int
    out_w: int
    out_row_bytes: int
    out_pixel_bytes: int
    stride_h: int
    stride_w: int
    pad_top: int
    pad_left: int
    pitch: int
    padding: int
    output_offset: int


@dataclass(frozen=True)
class Side:
    """One of the two directions of an image: sizes, stride, padding, and the bytes from step to step."""

    size: int
    out: int
    stride: int
    pad: int
    in_step: int
    out_step: int

    @property
    def reached(self) -> int:
        """Positions that a window of three reaches."""
        return min(self.size, (self.out - 1) * self.stride + 3 - self.pad)

    @property
    def pitch(self) -> int:
        """Bytes of a plane's row along this side, with what pairs of windows read beyond it."""
        pairs, single = divmod(self.out, 2)
        values = max(2 * self.stride * pairs + (4 if single else 2), self.pad + self.reached + 1)
        return -(-values // 2) * 4

    def instructions(self, across: int) -> int:
        """About what four channels cost by rows along this side, `across` in number."""
        return across * (13 * self.reached // 2 + 150 + 4 * (16 + 31 * (self.out // 2) + 20 * (self.out % 2)))


def depthwise_by_planes(p: DepthwiseConv2dParams) -> Call | None:
    """3x3 windows one or two positions apart, with the short requantisation, along the cheaper side."""
    plain = p.batch == 1 and p.depth_multiplier == 1 and (p.dilation_h, p.dilation_w) == (1, 1)
    if not plain or (p.kernel_h, p.kernel_w) != (3, 3):
        return None
    taps = p.weights.reshape(3, 3, p.in_c)
    flat = taps.reshape(-1, p.in_c).T
    bias = folded_bias(p.bias, flat, p.input_offset)
    if not is_fast(bias, flat, p):
        return None
    in_row, out_row = p.in_w * p.in_c, p.out_w * p.in_c
    wide = Side(p.in_w, p.out_w, p.stride_w, p.pad_left, p.in_c, p.in_c)
    tall = Side(p.in_h, p.out_h, p.stride_h, p.pad_top, in_row, out_row)
    sides = [(along, across) for along, across in ((wide, tall), (tall, wide)) if along.stride in (1, 2)]
    if not sides or min(wide.reached, tall.reached) < 1:
        return None
    along, across = min(sides, key=lambda pair: pair[0].instructions(pair[1].out))
    turned = along is tall
    made = DepthwiseConv2dPlanesParams(
        weights=np.ascontiguousarray(taps.transpose(2, 1, 0) if turned else taps.transpose(2, 0, 1)).reshape(
            -1
        ),
        records=np.stack([bias, p.multiplier], axis=1).astype(np.int32).view(np.uint32).reshape(-1),
        right=(-p.shift.astype(np.int64)).astype(np.uint8),
        channels=p.in_c,
        in_h=across.size,
        in_w=along.reached,
        in_row_bytes=across.in_step,
        in_pixel_bytes=along.in_step,
        out_h=across.out,
        out_w=along.out,
        out_row_bytes=across.out_step,
        out_pixel_bytes=along.out_step,
        stride_h=across.stride,
        stride_w=along.stride,
        pad_top=across.pad,
        pad_left=along.pad,
        pitch=along.pitch,
        padding=-p.input_offset,
        output_offset=p.output_offset,
    )
    same = (p.in_h, p.in_w) == (p.out_h, p.out_w) and (p.pad_top, p.pad_left) == (1, 1)
    in_place = same if turned else rows_may_grow(p, in_row, out_row)
    return Call(
        "depthwise_conv2d_planes",
        made,
        scratch_bytes=4 * BLOCK * along.pitch,
        in_place=(0,) if in_place else (),
        features=(f"{requantisation('PLANES', 1, p)}_{along.stride}",),
        rows=depthwise_rows(p, extra=EXTRA_OF_ROWS * p.out_h * p.out_w * p.in_c),
    )
