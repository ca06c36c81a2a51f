"""The change of scale and zero point between integer tensors, with a clamp: kernel `rescale`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgegen.codegen.arithmetic import INT32_MAX, quantize_multiplier, requantize, wrap32
from edgegen.codegen.graph import Array, DType, Tensor
from edgegen.codegen.ops.base import NodeView, Params
from edgegen.codegen.ops.common import quantization

LIMITS = {
    DType.INT8: (-128, 127),
    DType.UINT8: (0, 255),
    DType.INT16: (-32768, 32767),
    DType.INT32: (-(2**31), 2**31 - 1),
}

IDENTITY = (1 << 30, 1)
"""The multiplier and shift of 1, which change no number below 2^30."""

_SIGNED = {1: np.int8, 2: np.int16, 4: np.int32}


@dataclass(frozen=True, eq=False)
class RequantizeParams(Params):
    """out = clamp(requantize(in + input_offset) + output_offset); sizes of the signed elements in bytes."""

    count: int
    input_bytes: int
    output_bytes: int
    input_offset: int
    output_offset: int
    multiplier: int
    shift: int
    clamp_min: int
    clamp_max: int


def rescaling_params(
    view: NodeView,
    x: Tensor,
    y: Tensor,
    *,
    clamp: tuple[int, int] | None = None,
) -> RequantizeParams:
    """Parameters that bring `x` to the scale and zero point of `y`."""
    qx, qy = quantization(view, x), quantization(view, y)
    multiplier, shift = quantize_multiplier(qx.scale / qy.scale)
    low, high = LIMITS[y.dtype] if clamp is None else clamp
    return RequantizeParams(
        count=x.size,
        input_bytes=x.dtype.bytes,
        output_bytes=y.dtype.bytes,
        input_offset=-qx.zero_point,
        output_offset=qy.zero_point,
        multiplier=multiplier,
        shift=shift,
        clamp_min=low,
        clamp_max=high,
    )


def clamping_params(x: Tensor, low: int, high: int) -> RequantizeParams:
    """Parameters that only clamp."""
    return RequantizeParams(
        count=x.size,
        input_bytes=x.dtype.bytes,
        output_bytes=x.dtype.bytes,
        input_offset=0,
        output_offset=0,
        multiplier=IDENTITY[0],
        shift=IDENTITY[1],
        clamp_min=low,
        clamp_max=high,
    )


def run_requantize(params: RequantizeParams, x: Array) -> Array:
    """What `rescale` does. Sums wrap to 32 bits, as in the C."""
    shifted = wrap32(x.astype(np.int64) + params.input_offset)
    scaled = wrap32(requantize(shifted, params.multiplier, params.shift) + params.output_offset)
    return np.clip(scaled, params.clamp_min, params.clamp_max).astype(_SIGNED[params.output_bytes])


def requantize_bounds(params: RequantizeParams, low: Array, high: Array) -> tuple[Array, Array]:
    """Bounds of outputs from bounds of inputs; the clamp range where a sum or a shift could wrap around."""
    reach = np.maximum(np.abs(low.astype(np.int64)), np.abs(high.astype(np.int64))) + abs(params.input_offset)
    unknown = reach << max(params.shift, 0) > INT32_MAX - abs(params.output_offset)
    least, most = run_requantize(params, low), run_requantize(params, high)
    return (
        np.where(unknown, params.clamp_min, least).astype(least.dtype),
        np.where(unknown, params.clamp_max, most).astype(most.dtype),
    )


def in_place(params: RequantizeParams) -> tuple[int, ...]:
    """The input's buffer serves for the output where the elements have the same type."""
    return (0,) if params.input_bytes == params.output_bytes else ()
