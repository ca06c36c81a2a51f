"""What the lowerings of several targets have in common."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import Params
from edgegen.codegen.ops.conv2d import Conv2dParams
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dParams

CONV2D_FIELDS = frozenset(item.name for item in fields(Conv2dParams))


def constant_bytes(params: Params) -> int:
    """Bytes of a kernel's constant arrays."""
    return sum(value.nbytes for value in vars(params).values() if isinstance(value, np.ndarray))


def as_conv2d(p: DepthwiseConv2dParams) -> Conv2dParams:
    """The same sums over one input channel: every output channel reads all of it."""
    shared = {f.name: getattr(p, f.name) for f in fields(p) if f.name in CONV2D_FIELDS}
    weights = p.weights.reshape(p.kernel_h, p.kernel_w, p.out_c).transpose(2, 0, 1)
    shared["weights"] = np.ascontiguousarray(weights).reshape(-1)
    return Conv2dParams(**shared, out_c=p.out_c, group_c=p.in_c)


def folded_bias(bias: Array | None, rows: Array, input_offset: int) -> Array:
    """Bias plus the share of the input's zero point, modulo 2^32 as the sum itself."""
    total = rows.astype(np.int64).sum(axis=1) * input_offset
    folded: Array = total if bias is None else total + bias
    return folded.astype(np.int32)


def rows_may_grow(p: Conv2dParams | DepthwiseConv2dParams, in_row: int, out_row: int) -> bool:
    """Whether every output row ends before the first input row that is not yet in the ring."""
    for y in range(p.out_h):
        unread = y * p.stride_h - p.pad_top + p.kernel_h
        if unread < p.in_h and (y + 1) * out_row > max(unread, 0) * in_row:
            return False
    return p.out_h * out_row <= p.in_h * in_row
