"""Depthwise convolutions through a ring of padded rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.lowering.dsp.conv2d import row_input
from edgegen.codegen.lowering.dsp.packing import BLOCK, MOST_ROWS, is_fast
from edgegen.codegen.lowering.tools import folded_bias, rows_may_grow
from edgegen.codegen.ops.base import Call, Params, RowForm
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dParams


@dataclass(frozen=True, eq=False)
class DepthwiseConv2dRowsParams(Params):
    """See kernels/depthwise_conv2d_rows.h."""

    weights: Array
    bias: Array
    multiplier: Array
    shift: Array
    channels: int
    in_h: int
    in_row_bytes: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    tap_bytes: int
    step_bytes: int
    stride_h: int
    pad_top: int
    left_bytes: int
    ring_row_bytes: int
    padding: int
    fast: int
    output_offset: int
    clamp_min: int
    clamp_max: int


def depthwise_by_rows(p: DepthwiseConv2dParams) -> Call | None:
    plain = p.batch == 1 and p.depth_multiplier == 1 and p.dilation_h == 1
    if not plain or p.kernel_h > MOST_ROWS or p.in_c < BLOCK:
        return None
    made = _rows_params(p)
    in_place = (0,) if rows_may_grow(p, p.in_w * p.in_c, p.out_w * p.in_c) else ()
    # a load of four channels may reach three bytes beyond the last row
    scratch = p.kernel_h * made.ring_row_bytes + BLOCK
    return Call(
        "depthwise_conv2d_rows",
        made,
        scratch_bytes=scratch,
        in_place=in_place,
        features=_features(p),
        rows=depthwise_rows(p, extra=0),
    )


def depthwise_rows(p: DepthwiseConv2dParams, *, extra: int) -> RowForm:
    reach = ((p.out_w - 1) * p.stride_w + (p.kernel_w - 1) * p.dilation_w + 1) * p.in_c
    return RowForm(
        kernel="depthwise_conv2d_rows",
        function="depthwise_conv2d_rows_row",
        params=_rows_params(p),
        inputs=(row_input(p, reach, direct=False),),
        arrays=True,
        features=_features(p),
        extra_instructions=extra,
    )


def _features(p: DepthwiseConv2dParams) -> tuple[str, ...]:
    """Whole blocks of 3x3 windows with the short requantisation go one way, all others another."""
    small = (p.kernel_h, p.kernel_w) == (3, 3) and _rows_params(p).fast
    return (
        *(("ROWS_3X3",) if small else ()),
        *(("ROWS_EXACT",) if not small or p.in_c % BLOCK else ()),
    )


def _rows_params(p: DepthwiseConv2dParams) -> DepthwiseConv2dRowsParams:
    taps = p.weights.reshape(p.kernel_h * p.kernel_w, p.in_c)
    blocks = -(-p.in_c // BLOCK)
    padded = np.zeros((taps.shape[0], blocks * BLOCK), np.int8)
    padded[:, : p.in_c] = taps
    weights = padded.reshape(taps.shape[0], blocks, BLOCK).transpose(1, 0, 2)
    bias = folded_bias(p.bias, taps.T, p.input_offset)
    reach = (p.out_w - 1) * p.stride_w + (p.kernel_w - 1) * p.dilation_w + 1
    return DepthwiseConv2dRowsParams(
        weights=np.ascontiguousarray(weights).reshape(-1),
        bias=bias,
        multiplier=p.multiplier,
        shift=p.shift,
        channels=p.in_c,
        in_h=p.in_h,
        in_row_bytes=p.in_w * p.in_c,
        out_h=p.out_h,
        out_w=p.out_w,
        kernel_h=p.kernel_h,
        kernel_w=p.kernel_w,
        tap_bytes=p.dilation_w * p.in_c,
        step_bytes=p.stride_w * p.in_c,
        stride_h=p.stride_h,
        pad_top=p.pad_top,
        left_bytes=p.pad_left * p.in_c,
        ring_row_bytes=reach * p.in_c,
        padding=-p.input_offset,
        fast=is_fast(bias, taps.T, p),
        output_offset=p.output_offset,
        clamp_min=p.clamp_min,
        clamp_max=p.clamp_max,
    )
