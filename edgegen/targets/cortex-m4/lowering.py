"""Kernels of the Cortex-M4: when they apply, what they cost, and their packed constants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.lower import Choice
from edgegen.codegen.ops.base import Call, NodeView, Params, RowForm, RowInput
from edgegen.codegen.ops.conv2d import Conv2dParams
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dParams
from edgegen.codegen.ops.fully_connected import FullyConnectedParams
from edgegen.codegen.ops.pools import PoolParams
from edgegen.codegen.ops.sums import SumParams

KERNELS = {
    "conv2d": "conv2d_packed",
    "fully_connected": "fully_connected_packed",
    "depthwise_conv2d": "depthwise_conv2d_rows",
    "add": "add_aligned",
    "sub": "add_aligned",
    "average_pool2d": "average_pool2d_wide",
}
"""What this folder offers, by operator; the documentation lists it."""
GROUP = 8
"""Inputs that the packed inner loop takes at a time."""
BLOCK = 4
"""Output channels of one block."""
MOST_ROWS = 16
"""Rows of a window that the kernels hold pointers for."""
SCALE_WORDS = 5
HALFWORD = 2**15
CONV2D_FIELDS = frozenset(item.name for item in fields(Conv2dParams))
FAST_SUM = 2**30
FAST_SHIFTS = range(1, 23)
LARGEST_INPUT = 128
EXTRA_OF_ROWS = 8
"""Instructions that an output of a 3x3 depthwise layer costs more by rows than by planes."""


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


@dataclass(frozen=True, eq=False)
class FullyConnectedPackedParams(Params):
    """See kernels/fully_connected_packed.h."""

    weights: Array
    twice_bias: Array | None
    scales: Array | None
    scales_bytes: int
    bias: Array | None
    multiplier: Array | None
    shift: Array | None
    groups: int
    rows: int
    in_features: int
    out_features: int
    output_offset: int
    clamp_min: int
    clamp_max: int


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


@dataclass(frozen=True, eq=False)
class AddAlignedParams(Params):
    """See kernels/add_aligned.h."""

    count: int
    wide_is_second: int
    wide_scale: int
    wide_offset: int
    fine_offset: int
    fine_multiplier: int
    fine_right: int
    fine_nudge: int
    fine_sign: int
    multiplier: int
    right: int
    nudge: int


def choices(view: NodeView, call: Call) -> Sequence[Choice]:
    """The packed kernel where it applies, beside the portable one that always does."""
    params = call.params
    made: Call | None = None
    if call.kernel == "conv2d" and isinstance(params, Conv2dParams):
        made = _conv2d(params)
    elif call.kernel == "fully_connected" and isinstance(params, FullyConnectedParams):
        made = _fully_connected(params)
    elif call.kernel == "depthwise_conv2d" and isinstance(params, DepthwiseConv2dParams):
        one_channel = params.in_c == 1
        made = _conv2d(_as_conv2d(params)) if one_channel else _depthwise_planes(params) or _depthwise(params)
    elif call.kernel == "add" and isinstance(params, SumParams):
        made = _add(view, params, call)
    elif call.kernel == "average_pool2d" and isinstance(params, PoolParams):
        made = _average_pool(params)
    if made is None:
        return ()
    macs = max(_macs(view), view.outputs[0].size)
    wino = _winograd(params) if isinstance(params, Conv2dParams) else None
    offered = () if wino is None else (_winograd_choice(wino, macs),)
    return (
        *offered,
        Choice(made, cycles=macs * 5 // 4, flash_bytes=_bytes(made.params), reason="DSP instructions"),
        Choice(call, cycles=macs * 15, flash_bytes=_bytes(params), reason="portable"),
    )


def _macs(view: NodeView) -> int:
    from edgegen.codegen import ops

    return ops.get(view.node.op).macs(view)


def _bytes(params: Params) -> int:
    return sum(value.nbytes for value in vars(params).values() if isinstance(value, np.ndarray))


def _conv2d(p: Conv2dParams) -> Call | None:
    """One group, one image, no dilation along the row, and sums that fit the packed halves."""
    plain = p.batch == 1 and p.group_c == p.in_c and p.dilation_w == 1 and p.dilation_h == 1
    rows = p.weights.reshape(p.out_c, -1)
    if not plain or p.kernel_h > MOST_ROWS or not _packable(rows):
        return None
    pointwise = p.kernel_h == 1 and p.kernel_w == 1 and (p.stride_h, p.stride_w) == (1, 1) and not _padded(p)
    weights = _packed(rows)
    groups = weights.size // (2 * BLOCK * -(-p.out_c // BLOCK))
    bias = _folded_bias(p.bias, rows, p.input_offset)
    fast = _fast(bias, rows, p)
    ring = 0 if pointwise else (p.out_w - 1) * p.stride_w * p.in_c + p.kernel_w * p.in_c
    whole_words = pointwise or p.kernel_w * p.in_c % 4 == 0
    gathered = 0 if whole_words else -(-rows.shape[1] // 4) * 4 + 4
    made = Conv2dPackedParams(
        weights=weights,
        records=_records(bias, p) if fast else None,
        **_exact_rescaling(bias, fast, p),
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
    in_place = p.out_c <= p.in_c if pointwise else _rows_may_grow(p, p.in_w * p.in_c, p.out_w * p.out_c)
    features = [_requantisation("BLOCK", fast, p)]
    features += ["BLOCK_RING"] if ring else []
    features += ["BLOCK_GATHER"] if gathered else []
    return Call(
        "conv2d_packed",
        made,
        scratch_bytes=scratch,
        in_place=(0,) if in_place else (),
        features=tuple(features),
        rows=_conv2d_rows(p, made, scratch - -(-p.kernel_h * ring // 4) * 4, pointwise, tuple(features)),
    )


def _winograd(p: Conv2dParams) -> Call | None:
    """3x3 windows with stride 1 over whole words of channels, with the short requantisation."""
    window = (p.kernel_h, p.kernel_w, p.stride_h, p.stride_w, p.dilation_h, p.dilation_w)
    rows = p.weights.reshape(p.out_c, -1)
    bias = _folded_bias(p.bias, rows, p.input_offset)
    if window != (3, 3, 1, 1, 1, 1) or p.batch != 1 or p.group_c != p.in_c:
        return None
    if p.in_c % 4 or p.out_c % 4 or not _fast(bias, rows, p):
        return None
    ring = (4 * -(-p.out_w // 4) + 2) * p.in_c
    made = Conv2dWinogradParams(
        weights=_winograd_weights(p.weights.reshape(p.out_c, 3, 3, p.in_c)),
        records=_records(bias, p),
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


def _winograd_weights(w: Array) -> Array:
    """(out, 3, 3, in) -> int16 [out / 4][16][in / 2][4][2]: four times G w G', channels in unpacked order."""
    g = np.array([[2, 0, 0], [1, 1, 1], [1, -1, 1], [0, 0, 2]], np.int64)
    out, _, _, channels = w.shape
    u = np.einsum("ia,oabc,jb->oijc", g, w.astype(np.int64), g).reshape(out // 4, 4, 16, channels // 4, 4)
    ordered = u[..., [0, 2, 1, 3]].reshape(out // 4, 4, 16, channels // 2, 2)
    packed: Array = ordered.transpose(0, 2, 3, 1, 4)
    return np.ascontiguousarray(packed).astype(np.int16).reshape(-1)


def _winograd_choice(call: Call, macs: int) -> Choice:
    """Worth its threefold weights in flash only where speed is all that counts."""
    p = call.params
    assert isinstance(p, Conv2dWinogradParams)
    tiles = -(-p.out_w // 4) * 2 * -(-p.out_h // 2)
    cycles = tiles * (p.out_c * (16 * p.in_c * 17 // 16 + 100 + 4 * 25) + 75 * p.in_c)
    return Choice(call, cycles, _bytes(p), "Winograd F(2x2, 3x3)", modes=("speed",))


def _conv2d_rows(
    p: Conv2dParams, made: Conv2dPackedParams, scratch: int, pointwise: bool, features: tuple[str, ...]
) -> RowForm:
    """Pointwise layers pair positions all along the image; by rows an odd width costs half a pair."""
    pairs = p.out_h * -(-p.out_w // 2) - -(-p.out_h * p.out_w // 2)
    window = p.kernel_w * p.in_c
    return RowForm(
        kernel="conv2d_packed",
        function="conv2d_packed_row",
        params=replace(made, out_h=p.out_h, out_w=p.out_w, in_row_bytes=p.in_w * p.in_c),
        inputs=(_row_input(p, (p.out_w - 1) * p.stride_w * p.in_c + window, direct=pointwise),),
        arrays=True,
        scratch_bytes=scratch,
        features=features,
        extra_instructions=2 * pairs * p.out_c * window if pointwise else 0,
    )


def _row_input(p: Conv2dParams | DepthwiseConv2dParams, reach: int, *, direct: bool) -> RowInput:
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


def _as_conv2d(p: DepthwiseConv2dParams) -> Conv2dParams:
    """The same sums over one input channel: every output channel reads all of it."""
    out = p.in_c * p.depth_multiplier
    shared = {f.name: getattr(p, f.name) for f in fields(p) if f.name in CONV2D_FIELDS}
    weights = p.weights.reshape(p.kernel_h, p.kernel_w, out).transpose(2, 0, 1)
    shared["weights"] = np.ascontiguousarray(weights).reshape(-1)
    return Conv2dParams(**shared, out_c=out, group_c=p.in_c)


def _fully_connected(p: FullyConnectedParams) -> Call | None:
    rows = p.weights.reshape(p.out_features, p.in_features)
    if not _packable(rows):
        return None
    weights = _packed(rows)
    groups = weights.size // (2 * BLOCK * -(-p.out_features // BLOCK))
    bias = _folded_bias(p.bias, rows, p.input_offset)
    fast = _fast(bias, rows, p)
    scales = _scales(p) if fast else None
    uniform = scales is not None and len({tuple(block) for block in scales.reshape(-1, SCALE_WORDS)}) == 1
    if scales is not None and uniform:
        scales = scales[:SCALE_WORDS]
    made = FullyConnectedPackedParams(
        weights=weights,
        twice_bias=_twice(bias) if fast else None,
        scales=scales,
        scales_bytes=0 if uniform else 4 * SCALE_WORDS,
        **_exact_rescaling(bias, fast, p),
        groups=groups,
        rows=p.rows,
        in_features=p.in_features,
        out_features=p.out_features,
        output_offset=p.output_offset,
        clamp_min=p.clamp_min,
        clamp_max=p.clamp_max,
    )
    in_place = (0,) if p.rows == 1 and p.out_features <= p.in_features else ()
    return Call(
        "fully_connected_packed",
        made,
        scratch_bytes=groups * GROUP * 2,
        in_place=in_place,
        features=(_requantisation("DENSE", fast, p),),
    )


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


def _depthwise_planes(p: DepthwiseConv2dParams) -> Call | None:
    """3x3 windows one or two positions apart, with the short requantisation, along the cheaper side."""
    plain = p.batch == 1 and p.depth_multiplier == 1 and (p.dilation_h, p.dilation_w) == (1, 1)
    taps = p.weights.reshape(p.kernel_h, p.kernel_w, p.in_c)
    flat = taps.reshape(-1, p.in_c).T
    bias = _folded_bias(p.bias, flat, p.input_offset)
    if not plain or taps.shape[:2] != (3, 3) or not _fast(bias, flat, p):
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
    in_place = same if turned else _rows_may_grow(p, in_row, out_row)
    return Call(
        "depthwise_conv2d_planes",
        made,
        scratch_bytes=4 * BLOCK * along.pitch,
        in_place=(0,) if in_place else (),
        features=(f"{_requantisation('PLANES', 1, p)}_{along.stride}",),
        rows=_depthwise_rows(p, extra=EXTRA_OF_ROWS * p.out_h * p.out_w * p.in_c),
    )


def _depthwise_rows(p: DepthwiseConv2dParams, *, extra: int) -> RowForm:
    reach = ((p.out_w - 1) * p.stride_w + (p.kernel_w - 1) * p.dilation_w + 1) * p.in_c
    return RowForm(
        kernel="depthwise_conv2d_rows",
        function="depthwise_conv2d_rows_row",
        params=_rows_params(p),
        inputs=(_row_input(p, reach, direct=False),),
        arrays=True,
        extra_instructions=extra,
    )


def _depthwise(p: DepthwiseConv2dParams) -> Call | None:
    plain = p.batch == 1 and p.depth_multiplier == 1 and p.dilation_h == 1
    if not plain or p.kernel_h > MOST_ROWS or p.in_c < BLOCK:
        return None
    made = _rows_params(p)
    in_place = (0,) if _rows_may_grow(p, p.in_w * p.in_c, p.out_w * p.in_c) else ()
    # a load of four channels may reach three bytes beyond the last row
    scratch = p.kernel_h * made.ring_row_bytes + BLOCK
    return Call(
        "depthwise_conv2d_rows",
        made,
        scratch_bytes=scratch,
        in_place=in_place,
        rows=_depthwise_rows(p, extra=0),
    )


def _rows_params(p: DepthwiseConv2dParams) -> DepthwiseConv2dRowsParams:
    taps = p.weights.reshape(p.kernel_h * p.kernel_w, p.in_c)
    blocks = -(-p.in_c // BLOCK)
    padded = np.zeros((taps.shape[0], blocks * BLOCK), np.int8)
    padded[:, : p.in_c] = taps
    weights = padded.reshape(taps.shape[0], blocks, BLOCK).transpose(1, 0, 2)
    bias = _folded_bias(p.bias, taps.T, p.input_offset)
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
        fast=_fast(bias, taps.T, p),
        output_offset=p.output_offset,
        clamp_min=p.clamp_min,
        clamp_max=p.clamp_max,
    )


def _add(view: NodeView, p: SumParams, call: Call) -> Call | None:
    """Operands of one shape, of which the one of the larger scale needs no multiplier but one half."""
    half = (1 << 30, 0)
    first, second = (p.first_multiplier, p.first_shift), (p.second_multiplier, p.second_shift)
    same = view.input(0).shape == view.input(1).shape
    full = (p.clamp_min, p.clamp_max) == (-128, 127)
    if not same or not full or half not in (first, second) or -p.output_shift not in FAST_SHIFTS:
        return None
    wide_is_second = first != half
    wide_offset, fine_offset = p.first_offset, p.second_offset
    fine_multiplier, fine_shift = second
    signs = (1, p.sign)
    if wide_is_second:
        wide_offset, fine_offset = p.second_offset, p.first_offset
        fine_multiplier, fine_shift = first
        signs = (p.sign, 1)
    right = -p.output_shift
    made = AddAlignedParams(
        count=view.outputs[0].size,
        wide_is_second=int(wide_is_second),
        wide_scale=signs[0] << 20,
        wide_offset=(signs[0] << 20) * wide_offset,
        fine_offset=fine_offset << 21,
        fine_multiplier=fine_multiplier,
        fine_right=-fine_shift,
        fine_nudge=(1 << -fine_shift) >> 1,
        fine_sign=2 * signs[1],
        multiplier=p.output_multiplier,
        right=right,
        nudge=(2 * p.output_offset + 1) << (right - 1),
    )
    block = made.wide_scale > 0 and made.fine_sign > 0 and made.fine_right > 0
    features = ("ADD_BLOCK" if block else "ADD_ANY",)
    rows = _add_rows(view, made, features)
    return Call("add_aligned", made, inputs=(0, 1), in_place=call.in_place, features=features, rows=rows)


def _add_rows(view: NodeView, made: AddAlignedParams, features: tuple[str, ...]) -> RowForm | None:
    """A row at a time where the operands are images."""
    shape = view.outputs[0].shape
    if len(shape) != 4 or shape[0] != 1:
        return None
    return RowForm(
        kernel="add_aligned",
        function="add_aligned",
        params=replace(made, count=shape[2] * shape[3]),
        inputs=tuple(RowInput(position, height=1, stride=1, pad_top=0, direct=True) for position in (0, 1)),
        arrays=False,
        features=features,
    )


def _average_pool(p: PoolParams) -> Call | None:
    """Four channels at a time, summed in int16: as many elements as cannot overflow it."""
    if p.channels % BLOCK or p.kernel_h * p.kernel_w > HALFWORD // LARGEST_INPUT - 1:
        return None
    return Call("average_pool2d_wide", p)


def _padded(p: Conv2dParams) -> bool:
    return bool(p.pad_top or p.pad_left or p.out_h != p.in_h or p.out_w != p.in_w)


def _packable(rows: Array) -> bool:
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


def _packed(rows: Array) -> Array:
    """(out, inputs) -> words [out / 4][inputs / 2][2] of two halves each, in the order of unpacked bytes."""
    out, inputs = rows.shape
    wide = np.zeros((-(-out // BLOCK) * BLOCK, -(-inputs // GROUP) * GROUP), np.int64)
    wide[:out, :inputs] = rows
    wide = wide.reshape(len(wide), -1, 4)[:, :, [0, 2, 1, 3]].reshape(wide.shape)
    halves = (256 * wide[0::2] + wide[1::2]) & 0xFFFF
    words = halves[:, 0::2] | (halves[:, 1::2] << 16)
    paired: Array = words.reshape(-1, 2, words.shape[1]).transpose(0, 2, 1)
    return paired.astype(np.uint32).reshape(-1)


def _folded_bias(bias: Array | None, rows: Array, input_offset: int) -> Array:
    """Bias plus the share of the input's zero point, modulo 2^32 as the sum itself."""
    total = rows.astype(np.int64).sum(axis=1) * input_offset
    folded: Array = total if bias is None else total + bias
    return folded.astype(np.int32)


Matrix = Conv2dParams | FullyConnectedParams


def _requantisation(kernel: str, fast: int, p: Matrix | DepthwiseConv2dParams) -> str:
    """The feature of a kernel that this layer's requantisation needs."""
    kind = "NONNEGATIVE" if p.output_offset == -LARGEST_INPUT else "GENERAL"
    return f"{kernel}_{kind if fast else 'EXACT'}"


def _exact_rescaling(bias: Array, fast: int, p: Matrix) -> dict[str, Array | None]:
    """Plain arrays, where the short requantisation is not exact."""
    if fast:
        return {"bias": None, "multiplier": None, "shift": None}
    return {"bias": bias, "multiplier": p.multiplier, "shift": p.shift}


def _blocks(values: Array, missing: int) -> Array:
    """int64 (blocks, 4), filled up with `missing`."""
    full = np.full(-(-len(values) // BLOCK) * BLOCK, missing, np.int64)
    full[: len(values)] = values
    return full.reshape(-1, BLOCK)


def _twice(bias: Array) -> Array:
    doubled: Array = (_blocks(2 * bias.astype(np.int64), 0) & 0xFFFFFFFF).astype(np.uint32).reshape(-1)
    return doubled


def _scales(p: Matrix) -> Array:
    """Five words a block: multipliers, then right shifts less one as bytes; beyond the last its own again."""
    table = np.zeros((-(-len(p.multiplier) // BLOCK), SCALE_WORDS), np.uint32)
    table[:, :BLOCK] = _blocks(p.multiplier, int(p.multiplier[-1]))
    shifts = -p.shift.astype(np.int64) - 1
    table[:, BLOCK] = _blocks(shifts, int(shifts[-1])).astype(np.uint8).view("<u4").reshape(-1)
    return table.reshape(-1)


def _records(bias: Array, p: Matrix) -> Array:
    """Nine words a block: doubled bias and multiplier by turns, then the shifts."""
    scales = _scales(p).reshape(-1, SCALE_WORDS)
    table = np.zeros((len(scales), 2 * BLOCK + 1), np.uint32)
    table[:, 0:8:2] = _twice(bias).reshape(-1, BLOCK)
    table[:, 1:8:2] = scales[:, :BLOCK]
    table[:, 8] = scales[:, BLOCK]
    return table.reshape(-1)


def _fast(bias: Array, rows: Array, p: Conv2dParams | FullyConnectedParams | DepthwiseConv2dParams) -> int:
    """Whether the short requantisation is exact for every channel."""
    sums = np.abs(bias.astype(np.int64)) + LARGEST_INPUT * np.abs(rows.astype(np.int64)).sum(axis=1)
    shifts = set((-p.shift.astype(np.int64)).tolist())
    full = (p.clamp_min, p.clamp_max) == (-128, 127)
    return int(full and sums.max() < FAST_SUM and shifts <= set(FAST_SHIFTS) and p.multiplier.min() > 0)


def _rows_may_grow(p: Conv2dParams | DepthwiseConv2dParams, in_row: int, out_row: int) -> bool:
    """Whether every output row ends before the first input row that is not yet in the ring."""
    for y in range(p.out_h):
        unread = y * p.stride_h - p.pad_top + p.kernel_h
        if unread < p.in_h and (y + 1) * out_row > max(unread, 0) * in_row:
            return False
    return p.out_h * out_row <= p.in_h * in_row
