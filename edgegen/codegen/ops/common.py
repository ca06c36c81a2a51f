"""What several operators share: activations, padding, quantisation checks, exact integer products."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from edgegen.codegen.arithmetic import INT32_MAX, requantize, requantize64, wrap32
from edgegen.codegen.graph import Array, DType, Quantization, Tensor
from edgegen.codegen.ops.base import NodeView, flat

Pair = tuple[int, int]

ACTIVATIONS = ("none", "relu", "relu_n1_to_1", "relu6")
"""Fused activations, at the positions of `tflite.ActivationFunctionType`."""

RANGES = {DType.INT8: (-128, 127), DType.UINT8: (0, 255), DType.INT16: (-32768, 32767)}
LARGEST_OPTION = 32767
"""Of windows, strides and paddings, which TensorFlow Lite Micro keeps in 16 bits."""
LARGEST_OFFSET = 1 << 17
"""More than the zero point of any activation."""
WIDE_SHIFT, WIDE_BIAS = 14, 1 << 46
"""The largest shift and bias for which sums of 64 bits are defined."""


@dataclass(frozen=True)
class Padding:
    """Elements added at each border, resolved from "same" or "valid" before the graph is built."""

    top: int = 0
    bottom: int = 0
    left: int = 0
    right: int = 0

    @property
    def pairs(self) -> tuple[Pair, Pair]:
        return (self.top, self.bottom), (self.left, self.right)


def same_padding(size: int, kernel: int, stride: int, dilation: int = 1) -> Pair:
    """TensorFlow's SAME padding of one axis: the odd element goes to the end."""
    out = -(-size // stride)
    total = max((out - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return total // 2, total - total // 2


def window_count(size: int, pad: Pair, kernel: int, stride: int, dilation: int = 1) -> int:
    """How many windows fit along one axis."""
    return (size + sum(pad) - ((kernel - 1) * dilation + 1)) // stride + 1


def quantization(view: NodeView, tensor: Tensor) -> Quantization:
    """The quantisation that an integer operator cannot do without."""
    if tensor.quantization is None:
        raise view.error(f"{tensor.describe()} has no scale and zero point; quantise the model first")
    return tensor.quantization


BIAS_TYPES = {
    DType.INT8: (DType.INT32,),
    DType.INT16: (DType.INT64, DType.INT32),
    DType.FLOAT32: (DType.FLOAT32,),
}
"""Types of a bias by that of the activations."""


def check_bias(view: NodeView, position: int, channels: int, *, activations: int = 0) -> None:
    """A bias, if there is one, has a value for each output channel, of the type that accumulates.

    `position` and `activations` are the inputs' numbers.
    """
    bias, x = view.optional(position), view.input(activations)
    if bias is None:
        return
    if bias.size != channels:
        raise view.error(f"takes a bias of {channels} values, got {bias.describe()}")
    allowed = BIAS_TYPES.get(x.dtype, (bias.dtype,))
    if bias.dtype not in allowed:
        names = " or ".join(dtype.value for dtype in allowed)
        raise view.error(f"takes a bias of {names} with {x.dtype.value} activations, got {bias.describe()}")


def fused_activation(view: NodeView, code: int) -> str:
    """The fused activation of a .tflite code. ModelError for those that no kernel has."""
    if not 0 <= code < len(ACTIVATIONS):
        others = {4: "TANH", 5: "SIGN_BIT"}.get(code, "unknown")
        raise view.error(
            f"fused activation {code} ({others}) is not supported; one of: {', '.join(ACTIVATIONS)}"
        )
    return ACTIVATIONS[code]


def activation_range(activation: str, tensor: Tensor, view: NodeView) -> Pair:
    """Lowest and highest quantised output after the fused activation (TFLM CalculateActivationRange)."""
    low, high = RANGES[tensor.dtype]
    q = quantization(view, tensor)

    def quantized(real: float) -> int:
        # TFLM divides as float and rounds half away from zero
        ratio = float(np.float32(real) / np.float32(q.scale))
        return q.zero_point + int(np.copysign(np.floor(abs(ratio) + 0.5), ratio))

    if activation == "relu":
        return max(low, quantized(0.0)), high
    if activation == "relu6":
        return max(low, quantized(0.0)), min(high, quantized(6.0))
    if activation == "relu_n1_to_1":
        return max(low, quantized(-1.0)), min(high, quantized(1.0))
    if activation == "none":
        return low, high
    raise view.error(f"unknown fused activation '{activation}'; one of: {', '.join(ACTIVATIONS)}")


def apply_activation(activation: str, x: Array) -> Array:
    """The float meaning of a fused activation."""
    if activation == "relu":
        return np.maximum(x, 0)
    if activation == "relu6":
        return np.clip(x, 0, 6)
    if activation == "relu_n1_to_1":
        return np.clip(x, -1, 1)
    return x


def exact_matmul(a: npt.ArrayLike, b: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Integer matrix product by floating-point BLAS: all partial sums stay far below 2^53."""
    product = np.asarray(a, dtype=np.float64) @ np.asarray(b, dtype=np.float64)
    return product.astype(np.int64)


def windows(x: Array, kernel: Pair, stride: Pair, dilation: Pair) -> Array:
    """Sliding windows of (N, H, W, C): a view of (N, out_h, out_w, kh, kw, C)."""
    n, h, w, c = x.shape
    out_h = window_count(h, (0, 0), kernel[0], stride[0], dilation[0])
    out_w = window_count(w, (0, 0), kernel[1], stride[1], dilation[1])
    sn, sh, sw, sc = x.strides
    shape = (n, out_h, out_w, kernel[0], kernel[1], c)
    strides = (sn, sh * stride[0], sw * stride[1], sh * dilation[0], sw * dilation[1], sc)
    return np.lib.stride_tricks.as_strided(x, shape, strides, writeable=False)


def spatial_output(
    view: NodeView, kernel: Sequence[int], stride: Pair, dilation: Pair, padding: Padding
) -> Pair:
    """Height and width after sliding a window over the first input. Raises ModelError if it does not fit."""
    x = view.input(0)
    if min(stride) < 1 or min(dilation) < 1 or min(kernel) < 1:
        raise view.error(f"kernel {tuple(kernel)}, stride {stride} and dilation {dilation} must be positive")
    largest = max(*kernel, *stride, *dilation, *padding.pairs[0], *padding.pairs[1])
    if largest > LARGEST_OPTION:
        raise view.error(
            f"kernel {tuple(kernel)}, stride {stride}, dilation {dilation} and padding {padding.pairs}: "
            f"{largest} is more than {LARGEST_OPTION}, the most that TensorFlow Lite Micro can hold"
        )
    height = window_count(x.shape[1], padding.pairs[0], kernel[0], stride[0], dilation[0])
    width = window_count(x.shape[2], padding.pairs[1], kernel[1], stride[1], dilation[1])
    if height < 1 or width < 1:
        raise view.error(f"a kernel of {tuple(kernel)} does not fit into {x.describe()}")
    return height, width


def padding_of(
    code: int, view: NodeView, kernel: Sequence[int], stride: Pair, dilation: Pair = (1, 1)
) -> Padding:
    """Explicit padding from .tflite's SAME (0) or VALID (1)."""
    x = view.input(0)
    if code == 1 or len(x.shape) != 4 or min(*stride, *dilation) < 1:
        return Padding()
    top, bottom = same_padding(x.shape[1], kernel[0], stride[0], dilation[0])
    left, right = same_padding(x.shape[2], kernel[1], stride[1], dilation[1])
    return Padding(top=top, bottom=bottom, left=left, right=right)


def padding_code(padding: Padding) -> int:
    """SAME (0) where there is any padding: export makes other paddings a separate PAD beforehand."""
    return 1 if padding == Padding() else 0


def kernel_bias(view: NodeView, position: int) -> Array | None:
    """The bias as the kernel reads it: int64 beside int16 activations, int32 otherwise."""
    if view.optional(position) is None:
        return None
    return flat(
        view.constant(position, "the bias"), np.int64 if view.input(0).dtype is DType.INT16 else np.int32
    )


def accumulates_wide(view: NodeView, position: int, shift: Array) -> int:
    """Whether an int16 operator sums in 64 bits and rounds once: TFLM does so where the bias is int64.

    ModelError where that arithmetic is not defined, for `shift` or a bias that is too large.
    """
    bias = view.optional(position)
    if bias is None or bias.dtype is not DType.INT64:
        return 0
    if (shift > WIDE_SHIFT).any():
        raise view.error(f"input and weight scales are more than 2^{WIDE_SHIFT} output scales")
    largest = max((abs(int(value)) for value in view.constant(position, "the bias").flat), default=0)
    if largest > WIDE_BIAS:
        raise view.error(f"a bias of {largest} is too large; at most 2^46")
    return 1


class Windowed(Protocol):
    """The geometry that parameters of sliding windows have in common."""

    @property
    def in_h(self) -> int: ...
    @property
    def in_w(self) -> int: ...
    @property
    def out_h(self) -> int: ...
    @property
    def out_w(self) -> int: ...
    @property
    def kernel_h(self) -> int: ...
    @property
    def kernel_w(self) -> int: ...
    @property
    def stride_h(self) -> int: ...
    @property
    def stride_w(self) -> int: ...
    @property
    def dilation_h(self) -> int: ...
    @property
    def dilation_w(self) -> int: ...
    @property
    def pad_top(self) -> int: ...
    @property
    def pad_left(self) -> int: ...


def end_padding(p: Windowed) -> Padding:
    """The padding at all four borders that the windows of these parameters reach."""
    bottom = (p.out_h - 1) * p.stride_h + (p.kernel_h - 1) * p.dilation_h + 1 - p.in_h - p.pad_top
    right = (p.out_w - 1) * p.stride_w + (p.kernel_w - 1) * p.dilation_w + 1 - p.in_w - p.pad_left
    return Padding(top=p.pad_top, bottom=max(bottom, 0), left=p.pad_left, right=max(right, 0))


class Rescaling(Protocol):
    """What brings an accumulator to the output's scale."""

    @property
    def multiplier(self) -> Array: ...
    @property
    def shift(self) -> Array: ...
    @property
    def output_offset(self) -> int: ...
    @property
    def clamp_min(self) -> int: ...
    @property
    def clamp_max(self) -> int: ...


def rescaled(p: Rescaling, acc: Array, dtype: np.dtype[Any]) -> Array:
    """Accumulators (..., channels) to outputs: requantise, add the zero point (modulo 2^32), clamp."""
    scale = requantize64 if getattr(p, "wide", 0) else requantize
    out = wrap32(wrap32(scale(acc, p.multiplier, p.shift)) + p.output_offset)
    return np.clip(out, p.clamp_min, p.clamp_max).astype(dtype)


def rescale_bounds(
    p: Rescaling, least: Array, most: Array, dtype: np.dtype[Any]
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """Bounds of outputs from bounds of accumulators; the clamp range where anything could wrap around."""
    lowest, highest = rescaled(p, least, dtype), rescaled(p, most, dtype)
    reach = np.maximum(np.abs(least), np.abs(most)) << np.maximum(p.shift.astype(np.int64), 0)
    unknown = (reach > INT32_MAX - LARGEST_OFFSET) | (p.multiplier < 0)
    return (
        (np.where(unknown, p.clamp_min, lowest).astype(dtype),),
        (np.where(unknown, p.clamp_max, highest).astype(dtype),),
    )
