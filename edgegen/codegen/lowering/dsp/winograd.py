"""3x3 convolutions by exact integer Winograd transforms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.lower import Choice
from edgegen.codegen.lowering.dsp.packing import is_fast, record_words
from edgegen.codegen.lowering.tools import constant_bytes, folded_bias
from edgegen.codegen.ops.base import Call, Params
from edgegen.codegen.ops.conv2d import Conv2dParams


@dataclass(frozen=True, eq=False)
class Conv2dWinogradParams(Params):
    """See kernels/conv2d_winograd.h."""

    weights: Array
    records: Array
    in_h: int
    in_c: int
    in_row_bytes: int
    out_h: int
    out_w: int
    out_c: int
    pad_top: int
    left_bytes: int
    ring_row_bytes: int
    padding: int
    output_offset: int


def winograd_conv2d(p: Conv2dParams) -> Call | None:
    """3x3 windows with stride 1 over whole words of channels, with the short requantisation."""
    window = (p.kernel_h, p.kernel_w, p.stride_h, p.stride_w, p.dilation_h, p.dilation_w)
    rows = p.weights.reshape(p.out_c, -1)
    bias = folded_bias(p.bias, rows, p.input_offset)
    if window != (3, 3, 1, 1, 1, 1) or p.batch != 1 or p.group_c != p.in_c:
        return None
    if p.in_c % 4 or p.out_c % 4 or not is_fast(bias, rows, p):
        return None
    ring = (4 * -(-p.out_w // 4) + 2) * p.in_c
    made = Conv2dWinogradParams(
        weights=_weights(p.weights.reshape(p.out_c, 3, 3, p.in_c)),
        records=record_words(bias, p),
        in_h=p.in_h,
        in_c=p.in_c,
        in_row_bytes=p.in_w * p.in_c,
        out_h=p.out_h,
        out_w=p.out_w,
        out_c=p.out_c,
        pad_top=p.pad_top,
        left_bytes=p.pad_left * p.in_c,
        ring_row_bytes=ring,
        padding=-p.input_offset,
        output_offset=p.output_offset,
    )
    in_row, out_row = p.in_w * p.in_c, p.out_w * p.out_c
    in_place = all(
        y - p.pad_top + 4 >= p.in_h or min(y + 2, p.out_h) * out_row <= (y - p.pad_top + 4) * in_row
        for y in range(0, p.out_h, 2)
    )
    return Call(
        "conv2d_winograd",
        made,
        scratch_bytes=4 * ring + 64 * p.in_c + 512,
        in_place=(0,) if in_place and p.out_h * out_row <= p.in_h * in_row else (),
    )


def _weights(w: Array) -> Array:
    """(out, 3, 3, in) -> int16 [out / 4][16][in / 2][4][2]: four times G w G', channels in unpacked order."""
    g = np.array([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]], np.int64)
    out, _, _, channels = w.shape
    u = np.einsum("ia,oabc,jb->oijc", g, w.astype(np.int64), g).reshape(out // 4, 4, 16, channels // 4, 4)
    ordered = u[..., [0, 2, 1, 3]].reshape(out // 4, 4, 16, channels // 2, 2)
    packed: Array = ordered.transpose(0, 2, 3, 1, 4)
    return np.ascontiguousarray(packed).astype(np.int16).reshape(-1)


def winograd_choice(call: Call) -> Choice:
    """Worth its threefold weights in flash only where speed is all that counts."""
    p = call.params
    assert isinstance(p, Conv2dWinogradParams)
    tiles = -(-p.out_w // 4) * 2 * -(-p.out_h // 2)
    cycles = tiles * (p.out_c * (16 * p.in_c * 17 // 16 + 100 + 4 * 25) + 75 * p.in_c)
    return Choice(call, cycles, constant_bytes(p), "Winograd F(2x2, 3x3)", modes=("speed",))
