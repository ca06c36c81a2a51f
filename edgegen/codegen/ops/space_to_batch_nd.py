"""space_to_batch_nd: pixels of one position within blocks together, as batches of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.axes import constant_pairs, per_axis, speaks_of_channels
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, reference_only
from edgegen.codegen.ops.movement import same_types


@dataclass(frozen=True, eq=False)
class SpaceToBatchNdParams(Params):
    """Sizes in pixels of `pixel` bytes; `fill` is the byte of padding."""

    batch: int
    in_h: int
    in_w: int
    pixel: int
    block_h: int
    block_w: int
    pad_top: int
    pad_left: int
    out_h: int
    out_w: int
    fill: int
    shape: tuple[int, ...] = reference_only()


class SpaceToBatchNd(Operator):
    """Inputs 1 and 2 are constant: the block along each of one or two spatial axes, and paddings."""

    name = "space_to_batch_nd"
    tflite = "SPACE_TO_BATCH_ND"
    tflite_options = "SpaceToBatchNDOptions"
    types = "int8, uint8, int16, int32, int64, float32, bool"
    constraints = "three or four dimensions; block and paddings constant"
    monotone = True
    keeps_quantization = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x = view.input(0)
        block, pads = blocks_and_pairs(view, "paddings")
        padded = [size + sum(pair) for size, pair in zip(x.shape[1 : 1 + len(block)], pads, strict=True)]
        for size, n in zip(padded, block, strict=True):
            if size % n:
                raise view.error(f"{size} padded elements of {x.describe()} are no blocks of {n}")
        space = [size // n for size, n in zip(padded, block, strict=True)]
        return (TensorType((x.shape[0] * prod(block), *space, x.shape[-1]), x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        assert inputs[0] is not None
        return (_place(_params(view), inputs[0], 0),)

    def prepare(self, view: NodeView) -> SpaceToBatchNdParams:
        same_types(view, view.input(0))
        return _params(view)

    def run_int(self, params: SpaceToBatchNdParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (_place(params, inputs[0], params.fill),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="space_to_batch_nd", params=params)

    def channel_sources(self, view: NodeView) -> Array | None:
        channels = view.input(0).shape[-1]
        return None if speaks_of_channels(view, channels) else np.arange(channels)


OPERATOR = SpaceToBatchNd()


def blocks_and_pairs(view: NodeView, what: str) -> tuple[tuple[int, ...], tuple[tuple[int, int], ...]]:
    """Block sizes along the spatial axes and a pair of numbers for each."""
    rank = len(view.input(0).shape)
    if rank not in (3, 4):
        raise view.error(f"takes three or four dimensions, got {view.input(0).describe()}")
    block = per_axis(view, 1, "the block", rank - 2)
    if min(block) < 1:
        raise view.error(f"takes blocks from 1 on, got {list(block)}")
    return block, constant_pairs(view, 2, what, rank - 2)


def _params(view: NodeView) -> SpaceToBatchNdParams:
    """A single spatial axis is an image of width 1."""
    x, y = view.input(0), view.outputs[0]
    block, pads = blocks_and_pairs(view, "paddings")
    in_h, in_w = (*x.shape[1:-1], 1)[:2]
    out_h, out_w = (*y.shape[1:-1], 1)[:2]
    return SpaceToBatchNdParams(
        batch=x.shape[0],
        in_h=in_h,
        in_w=in_w,
        pixel=x.shape[-1] * x.dtype.bytes,
        block_h=block[0],
        block_w=(*block, 1)[1],
        pad_top=pads[0][0],
        pad_left=(*pads, (0, 0))[1][0],
        out_h=out_h,
        out_w=out_w,
        # TFLM never sets the value of its padding, which leaves 0 even where the zero point is another
        fill=0,
        shape=y.shape,
    )


def _place(p: SpaceToBatchNdParams, x: Array, fill: int) -> Array:
    image = x.reshape(len(x), p.batch, p.in_h, p.in_w, -1)
    bottom = p.out_h * p.block_h - p.in_h - p.pad_top
    right = p.out_w * p.block_w - p.in_w - p.pad_left
    pads = ((0, 0), (0, 0), (p.pad_top, bottom), (p.pad_left, right), (0, 0))
    padded = np.pad(image, pads, constant_values=np.array(fill, x.dtype))
    split = padded.reshape(len(x), p.batch, p.out_h, p.block_h, p.out_w, p.block_w, -1)
    return split.transpose(0, 3, 5, 1, 2, 4, 6).reshape(len(x), *p.shape)
