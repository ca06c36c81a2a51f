"""Convolutions by packed pairs of weights, whole or row by row."""

from __future__ import annotations

from dataclasses import dataclass, replace

from edgegen.codegen.graph import Array
from edgegen.codegen.lowering.dsp.packing import (
    BLOCK,
    GROUP,
    MOST_ROWS,
    exact_rescaling,
    is_fast,
    packable,
    packed,
    record_words,
    requantisation,
)
from edgegen.codegen.lowering.tools import folded_bias, rows_may_grow
from edgegen.codegen.ops.base import Call, Params, RowForm, RowInput
from edgegen.codegen.ops.conv2d import Conv2dParams
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dParams


@dataclass(frozen=True, eq=False)
class Conv2dPackedParams(Params):
    """See kernels/conv2d_packed.h."""

    weights: Array
    records: Array | None
    bias: Array | None
    multiplier: Array | None
    shift: Array | None
    groups: int
    in_h: int
    in_row_bytes: int
    out_h: int
    out_w: int
    out_c: int
    kernel_h: int
    gathered_bytes: int
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


def packed_conv2d(p: Conv2dParams) -> Call | None:
    """One group, one image, no dilation along the row, and sums that fit the packed halves."""
    plain = p.batch == 1 and p.group_c == p.in_c and p.dilation_w == 1 and p.dilation_h == 1
    rows = p.weights.reshape(p.out_c, -1)
    if not plain or p.kernel_h > MOST_ROWS or not packable(rows):
        return None
    pointwise = p.kernel_h == 1 and p.kernel_w == 1 and (p.stride_h, p.stride_w) == (1, 1) and not _padded(p)
    weights = packed(rows)
    groups = weights.size // (2 * BLOCK * -(-p.out_c // BLOCK))
    bias = folded_bias(p.bias, rows, p.input_offset)
    fast = is_fast(bias, rows, p)
    ring = 0 if pointwise else (p.out_w - 1) * p.stride_w * p.in_c + p.kernel_w * p.in_c
    whole_words = pointwise or p.kernel_w * p.in_c % 4 == 0
    gathered = 0 if whole_words else -(-rows.shape[1] // 4) * 4 + 4
    made = Conv2dPackedParams(
        weights=weights,
        records=record_words(bias, p) if fast else None,
        **exact_rescaling(bias, fast, p),
        groups=groups,
        in_h=p.in_h,
        in_row_bytes=p.in_w * p.in_c,
        out_h=1 if pointwise else p.out_h,
        out_w=p.out_h * p.out_w if pointwise else p.out_w,
        out_c=p.out_c,
        kernel_h=p.kernel_h,
        gathered_bytes=gathered,
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
    scratch = -(-p.kernel_h * ring // 4) * 4 + groups * GROUP * 4 + 2 * gathered
    in_place = p.out_c <= p.in_c if pointwise else rows_may_grow(p, p.in_w * p.in_c, p.out_w * p.out_c)
    features = [requantisation("BLOCK", fast, p)]
    features += ["BLOCK_RING"] if ring else []
    features += ["BLOCK_GATHER"] if gathered else []
    return Call(
        "conv2d_packed",
        made,
        scratch_bytes=scratch,
        in_place=(0,) if in_place else (),
        features=tuple(features),
        rows=_rows(p, made, scratch - -(-p.kernel_h * ring // 4) * 4, pointwise, tuple(features)),
    )


def _rows(
    p: Conv2dParams, made: Conv2dPackedParams, scratch: int, pointwise: bool, features: tuple[str, ...]
) -> RowForm:
    """Pointwise layers pair positions all along the image; by rows an odd width costs half a pair."""
    pairs = p.out_h * -(-p.out_w // 2) - -(-p.out_h * p.out_w // 2)
    window = p.kernel_w * p.in_c
    return RowForm(
        kernel="conv2d_packed",
        function="conv2d_packed_row",
        params=replace(made, out_h=p.out_h, out_w=p.out_w, in_row_bytes=p.in_w * p.in_c),
        inputs=(row_input(p, (p.out_w - 1) * p.stride_w * p.in_c + window, direct=pointwise),),
        arrays=True,
        scratch_bytes=scratch,
        features=features,
        extra_instructions=2 * pairs * p.out_c * window if pointwise else 0,
    )


def row_input(p: Conv2dParams | DepthwiseConv2dParams, reach: int, *, direct: bool) -> RowInput:
    """Rows of a padded window; `reach` is what all windows of a row take, in bytes."""
    left = p.pad_left * p.in_c
    return RowInput(
        position=0,
        height=p.kernel_h,
        stride=p.stride_h,
        pad_top=p.pad_top,
        left_bytes=left,
        right_bytes=max(0, reach - left - p.in_w * p.in_c),
        padding=-p.input_offset,
        beyond=p.pad_top > 0 or (p.out_h - 1) * p.stride_h - p.pad_top + p.kernel_h > p.in_h,
        direct=direct,
    )


def _padded(p: Conv2dParams) -> bool:
    return bool(p.pad_top or p.pad_left or p.out_h != p.in_h or p.out_w != p.in_w)
