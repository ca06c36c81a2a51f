"""Packed weights and their requantisation: what the kernels with DSP instructions share."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.conv2d import Conv2dParams
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dParams
from edgegen.codegen.ops.fully_connected import FullyConnectedParams

GROUP = 8
"""Inputs that the packed inner loop takes at a time."""


BLOCK = 4
"""Output channels of one block."""


MOST_ROWS = 16
"""Rows of a window that the kernels hold pointers for."""


SCALE_WORDS = 5


HALFWORD = 2**15


FAST_SUM = 2**30


FAST_SHIFTS = range(1, 23)


LARGEST_INPUT = 128


Matrix = Conv2dParams | FullyConnectedParams


def packable(rows: Array) -> bool:
    """Whether halves 256 * a + b fit int16 and their sums int32, for every pair of output channels."""
    wide = _to_blocks(rows.astype(np.int64))
    first, second = wide[0::2], wide[1::2]
    halves = 256 * first + second
    sums = LARGEST_INPUT * (256 * np.abs(first).sum(axis=1) + np.abs(second).sum(axis=1))
    return bool(halves.min() >= -HALFWORD and halves.max() < HALFWORD and sums.max() < 2**31)


def _to_blocks(rows: Array) -> Array:
    """Rows of weights with zero rows added up to whole blocks."""
    missing = -len(rows) % BLOCK
    return np.concatenate([rows, np.zeros((missing, *rows.shape[1:]), rows.dtype)])


def packed(rows: Array) -> Array:
    """(out, inputs) -> words [out / 4][inputs / 2][2] of two halves each, in the order of unpacked bytes."""
    out, inputs = rows.shape
    wide = np.zeros((-(-out // BLOCK) * BLOCK, -(-inputs // GROUP) * GROUP), np.int64)
    wide[:out, :inputs] = rows
    wide = wide.reshape(len(wide), -1, 4)[:, :, [0, 2, 1, 3]].reshape(wide.shape)
    halves = (256 * wide[0::2] + wide[1::2]) & 0xFFFF
    words = halves[:, 0::2] | (halves[:, 1::2] << 16)
    paired: Array = words.reshape(-1, 2, words.shape[1]).transpose(0, 2, 1)
    return paired.astype(np.uint32).reshape(-1)


def is_fast(bias: Array, rows: Array, p: Conv2dParams | FullyConnectedParams | DepthwiseConv2dParams) -> int:
    """Whether the short requantisation is exact for every channel."""
    sums = np.abs(bias.astype(np.int64)) + LARGEST_INPUT * np.abs(rows.astype(np.int64)).sum(axis=1)
    shifts = set((-p.shift.astype(np.int64)).tolist())
    full = (p.clamp_min, p.clamp_max) == (-128, 127)
    return int(full and sums.max() < FAST_SUM and shifts <= set(FAST_SHIFTS) and p.multiplier.min() > 0)


def requantisation(kernel: str, fast: int, p: Matrix | DepthwiseConv2dParams) -> str:
    """The feature of a kernel that this layer's requantisation needs."""
    kind = "NONNEGATIVE" if p.output_offset == -LARGEST_INPUT else "GENERAL"
    return f"{kernel}_{kind if fast else 'EXACT'}"


def exact_rescaling(bias: Array, fast: int, p: Matrix) -> dict[str, Array | None]:
    """Plain arrays, where the short requantisation is not exact."""
    if fast:
        return {"bias": None, "multiplier": None, "shift": None}
    return {"bias": bias, "multiplier": p.multiplier, "shift": p.shift}


def _blocks(values: Array, missing: int) -> Array:
    """int64 (blocks, 4), filled up with `missing`."""
    full = np.full(-(-len(values) // BLOCK) * BLOCK, missing, np.int64)
    full[: len(values)] = values
    return full.reshape(-1, BLOCK)


def doubled(bias: Array) -> Array:
    doubled: Array = (_blocks(2 * bias.astype(np.int64), 0) & 0xFFFFFFFF).astype(np.uint32).reshape(-1)
    return doubled


def scale_words(p: Matrix) -> Array:
    """Five words a block: multipliers, then right shifts less one as bytes; beyond the last its own again."""
    table = np.zeros((-(-len(p.multiplier) // BLOCK), SCALE_WORDS), np.uint32)
    table[:, :BLOCK] = _blocks(p.multiplier, int(p.multiplier[-1]))
    shifts = -p.shift.astype(np.int64) - 1
    table[:, BLOCK] = _blocks(shifts, int(shifts[-1])).astype(np.uint8).view("<u4").reshape(-1)
    return table.reshape(-1)


def record_words(bias: Array, p: Matrix) -> Array:
    """Nine words a block: doubled bias and multiplier by turns, then the shifts."""
    scales = scale_words(p).reshape(-1, SCALE_WORDS)
    table = np.zeros((len(scales), 2 * BLOCK + 1), np.uint32)
    table[:, 0:8:2] = doubled(bias).reshape(-1, BLOCK)
    table[:, 1:8:2] = scales[:, :BLOCK]
    table[:, 8] = scales[:, BLOCK]
    return table.reshape(-1)
