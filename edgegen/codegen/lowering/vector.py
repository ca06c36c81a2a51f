"""Lowering for vectors of 16 bytes: columns for convolutions and dense layers, lanes for depthwise layers.

The kernels are portable; a target's own column_block.c and lane_block.c make them fast.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgegen.codegen import ops
from edgegen.codegen.graph import Array
from edgegen.codegen.lower import Choice
from edgegen.codegen.lowering.tools import as_conv2d, constant_bytes, folded_bias, rows_may_grow
from edgegen.codegen.ops.base import Call, NodeView, Params
from edgegen.codegen.ops.conv2d import Conv2dParams
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dParams
from edgegen.codegen.ops.fully_connected import FullyConnectedParams

KERNELS = {
    "conv2d": "conv2d_columns",
    "fully_connected": "fully_connected_columns",
    "depthwise_conv2d": "depthwise_conv2d_lanes",
}
"""What is offered, by operator; the documentation lists it."""
BLOCK, STEP, LANES = 4, 16, 8
MOST_ROWS = 16
"""Rows of a window that the kernels hold pointers for."""


@dataclass(frozen=True, eq=False)
class Conv2dColumnsParams(Params):
    """See kernels/conv2d_columns.h."""

    weights: Array
    bias: Array
    multiplier: Array
    shift: Array
    steps: int
    in_h: int
    in_row_bytes: int
    out_h: int
    out_w: int
    out_c: int
    kernel_h: int
    segment_bytes: int
    step_bytes: int
    stride_h: int
    pad_top: int
    left_bytes: int
    ring_row_bytes: int
    padding: int
    output_offset: int
    clamp_min: int
    clamp_max: int


@dataclass(frozen=True, eq=False)
class FullyConnectedColumnsParams(Params):
    """See kernels/fully_connected_columns.h."""

    weights: Array
    bias: Array
    multiplier: Array
    shift: Array
    steps: int
    rows: int
    in_features: int
    out_features: int
    output_offset: int
    clamp_min: int
    clamp_max: int


@dataclass(frozen=True, eq=False)
class DepthwiseConv2dLanesParams(Params):
    """See kernels/depthwise_conv2d_lanes.h."""

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
    output_offset: int
    clamp_min: int
    clamp_max: int


def choices(view: NodeView, call: Call) -> Sequence[Choice]:
    """The vector kernel where it applies, beside the portable one that always does."""
    params = call.params
    made: Call | None = None
    if call.kernel == "conv2d" and isinstance(params, Conv2dParams):
        made = _conv2d(params)
    elif call.kernel == "fully_connected" and isinstance(params, FullyConnectedParams):
        made = _fully_connected(params)
    elif call.kernel == "depthwise_conv2d" and isinstance(params, DepthwiseConv2dParams):
        made = _conv2d(as_conv2d(params)) if params.in_c == 1 else _depthwise(params)
    if made is None:
        return ()
    macs = max(ops.get(view.node.op).macs(view), view.outputs[0].size)
    return (
        Choice(made, cycles=macs // 2, flash_bytes=constant_bytes(made.params), reason="vectors"),
        Choice(call, cycles=macs * 8, flash_bytes=constant_bytes(params), reason="portable"),
    )


def _conv2d(p: Conv2dParams) -> Call | None:
    """One group, one image, no dilation, and no weight of -128."""
    plain = p.batch == 1 and p.group_c == p.in_c and (p.dilation_h, p.dilation_w) == (1, 1)
    rows = p.weights.reshape(p.out_c, -1)
    if not plain or p.kernel_h > MOST_ROWS or rows.min(initial=0) == -128:
        return None
    padded = p.pad_top or p.pad_left or p.out_h != p.in_h or p.out_w != p.in_w
    direct = not padded and (p.kernel_h, p.kernel_w, p.in_c % STEP) == (1, 1, 0)
    ring = 0 if direct else ((p.out_w - 1) * p.stride_w + p.kernel_w) * p.in_c
    steps = -(-rows.shape[1] // STEP)
    made = Conv2dColumnsParams(
        **_columns(rows, p),
        steps=steps,
        in_h=p.in_h,
        in_row_bytes=p.in_w * p.in_c,
        out_h=1 if direct else p.out_h,
        out_w=p.out_h * p.out_w if direct else p.out_w,
        out_c=p.out_c,
        kernel_h=p.kernel_h,
        segment_bytes=p.kernel_w * p.in_c,
        step_bytes=p.stride_w * p.in_c,
        stride_h=p.stride_h,
        pad_top=p.pad_top,
        left_bytes=p.pad_left * p.in_c,
        ring_row_bytes=ring,
        padding=-p.input_offset,
        output_offset=p.output_offset,
        clamp_min=p.clamp_min,
        clamp_max=p.clamp_max,
    )
    scratch = 0 if direct else p.kernel_h * ring + 2 * STEP * steps
    grows = not direct and rows_may_grow(p, p.in_w * p.in_c, p.out_w * p.out_c)
    # a scratch pointer is passed in any case
    return Call("conv2d_columns", made, scratch_bytes=max(scratch, 1), in_place=(0,) if grows else ())


def _fully_connected(p: FullyConnectedParams) -> Call | None:
    rows = p.weights.reshape(p.out_features, p.in_features)
    if rows.min(initial=0) == -128:
        return None
    steps = -(-p.in_features // STEP)
    made = FullyConnectedColumnsParams(
        **_columns(rows, p),
        steps=steps,
        rows=p.rows,
        in_features=p.in_features,
        out_features=p.out_features,
        output_offset=p.output_offset,
        clamp_min=p.clamp_min,
        clamp_max=p.clamp_max,
    )
    return Call("fully_connected_columns", made, scratch_bytes=STEP * steps)


def _depthwise(p: DepthwiseConv2dParams) -> Call | None:
    plain = p.batch == 1 and p.depth_multiplier == 1 and p.dilation_h == 1
    if not plain or p.in_c < LANES or p.kernel_h > MOST_ROWS or p.weights.min(initial=0) == -128:
        return None
    taps = p.weights.reshape(p.kernel_h * p.kernel_w, p.in_c)
    firsts = [min(first, p.in_c - LANES) for first in range(0, p.in_c, LANES)]
    lanes = np.concatenate([np.arange(first, first + LANES) for first in firsts])
    ring = ((p.out_w - 1) * p.stride_w + (p.kernel_w - 1) * p.dilation_w + 1) * p.in_c
    made = DepthwiseConv2dLanesParams(
        weights=np.ascontiguousarray(taps[:, lanes].reshape(len(taps), -1, LANES).transpose(1, 0, 2)).reshape(
            -1
        ),
        bias=folded_bias(p.bias, taps.T, p.input_offset)[lanes],
        multiplier=p.multiplier[lanes],
        shift=p.shift[lanes].astype(np.int32),
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
        ring_row_bytes=ring,
        padding=-p.input_offset,
        output_offset=p.output_offset,
        clamp_min=p.clamp_min,
        clamp_max=p.clamp_max,
    )
    in_place = (0,) if rows_may_grow(p, p.in_w * p.in_c, p.out_w * p.in_c) else ()
    return Call("depthwise_conv2d_lanes", made, scratch_bytes=p.kernel_h * ring, in_place=in_place)


def _columns(rows: Array, p: Conv2dParams | FullyConnectedParams) -> dict[str, Array]:
    """Weights [blocks][steps][4][16] with zeros beyond their ends; bias, multiplier and shift of each."""
    out, inputs = rows.shape
    blocks, steps = -(-out // BLOCK), -(-inputs // STEP)
    wide = np.zeros((blocks * BLOCK, steps * STEP), np.int8)
    wide[:out, :inputs] = rows
    weights = wide.reshape(blocks, BLOCK, steps, STEP).transpose(0, 2, 1, 3)
    return {
        "weights": np.ascontiguousarray(weights).reshape(-1),
        "bias": _filled(folded_bias(p.bias, rows, p.input_offset)),
        "multiplier": _filled(p.multiplier),
        "shift": _filled(p.shift),
    }


def _filled(values: Array) -> Array:
    """int32, with zeros up to whole blocks."""
    full = np.zeros(-(-len(values) // BLOCK) * BLOCK, np.int32)
    full[: len(values)] = values
    return full
