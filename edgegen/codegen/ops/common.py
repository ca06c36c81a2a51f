"""What several operators share: activations, padding, quantisation checks, exact integer products."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from edgegen.codegen.graph import Array, DType, Quantization, Tensor
from edgegen.codegen.ops.base import NodeView

Pair = tuple[int, int]

ACTIVATIONS = ("none", "relu", "relu_n1_to_1", "relu6")
"""Fused activations, at the positions of `tflite.ActivationFunctionType`."""

RANGES = {DType.INT8: (-128, 127), DType.UINT8: (0, 255), DType.INT16: (-32768, 32767)}


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
