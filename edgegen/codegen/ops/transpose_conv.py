"""transpose_conv: every input element spreads its share over a window of the output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import quantize_multipliers
from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, flat
from edgegen.codegen.ops.common import (
    ACTIVATIONS,
    Padding,
    Pair,
    activation_range,
    apply_activation,
    check_bias,
    exact_matmul,
    fused_activation,
    kernel_bias,
    quantization,
    rescaled,
    same_padding,
)


@dataclass(frozen=True)
class TransposeConvAttributes(Attributes):
    """`padding` is what a convolution from output to input would have; the size comes from input 0."""

    stride: Pair = (1, 1)
    padding: Padding = field(default_factory=Padding)
    activation: str = "none"


@dataclass(frozen=True, eq=False)
class TransposeConvParams(Params):
    """Weights are (out, kh, kw, in); multiplier and shift have one entry an output channel."""

    weights: Array
    bias: Array | None
    multiplier: Array
    shift: Array
    batch: int
    in_h: int
    in_w: int
    in_c: int
    out_h: int
    out_w: int
    out_c: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    pad_top: int
    pad_left: int
    input_offset: int
    output_offset: int
    clamp_min: int
    clamp_max: int


class TransposeConv(Operator):
    """Inputs: the output's shape, weights (out, kh, kw, in), the input, a bias."""

    name = "transpose_conv"
    attributes = TransposeConvAttributes
    tflite = "TRANSPOSE_CONV"
    tflite_options = "TransposeConvOptions"
    types = "int8"
    constraints = "weights and output shape constant"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        weights, x = view.input(1), view.input(2)
        shape = tuple(int(size) for size in view.constant(0, "the output's shape").ravel())
        if len(x.shape) != 4 or len(weights.shape) != 4 or len(shape) != 4:
            raise view.error(
                f"takes (batch, h, w, c) and (out, kh, kw, in), got {x.describe()}, {weights.describe()}"
            )
        attributes = _attributes(view)
        if (shape[0], shape[3], x.shape[3]) != (x.shape[0], weights.shape[0], weights.shape[3]):
            raise view.error(
                f"{x.describe()} and {weights.describe()} do not give an output of {list(shape)}"
            )
        if min(attributes.stride) < 1 or min(shape) < 1:
            raise view.error(f"takes positive strides and sizes, got {attributes.stride} and {list(shape)}")
        check_bias(view, 3, weights.shape[0], activations=2)
        return (TensorType(shape, x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        weights, x, bias = inputs[1], inputs[2], inputs[3] if len(inputs) > 3 else None
        assert weights is not None and x is not None
        a, shape = _attributes(view), view.outputs[0].shape
        out = _spread(x, weights[0], a.stride, (a.padding.top, a.padding.left), shape[1:3])
        if bias is not None:
            out = out + bias[0]
        return (apply_activation(a.activation, out).astype(x.dtype),)

    def prepare(self, view: NodeView) -> TransposeConvParams:
        weights, x, y = view.input(1), view.input(2), view.outputs[0]
        if (x.dtype, weights.dtype, y.dtype) != (DType.INT8, DType.INT8, DType.INT8):
            raise view.error(f"takes int8, got {x.describe()}, {weights.describe()} and {y.describe()}")
        a = _attributes(view)
        qx, qw, qy = quantization(view, x), quantization(view, weights), quantization(view, y)
        scales = np.broadcast_to(np.array(qw.scales, np.float64), (weights.shape[0],))
        multiplier, shift = quantize_multipliers(qx.scale * scales / qy.scale)
        low, high = activation_range(a.activation, y, view)
        return TransposeConvParams(
            weights=flat(view.constant(1, "the weights"), np.int8),
            bias=kernel_bias(view, 3),
            multiplier=multiplier,
            shift=flat(shift, np.int8),
            batch=x.shape[0],
            in_h=x.shape[1],
            in_w=x.shape[2],
            in_c=x.shape[3],
            out_h=y.shape[1],
            out_w=y.shape[2],
            out_c=y.shape[3],
            kernel_h=weights.shape[1],
            kernel_w=weights.shape[2],
            stride_h=a.stride[0],
            stride_w=a.stride[1],
            pad_top=a.padding.top,
            pad_left=a.padding.left,
            input_offset=-qx.zero_point,
            output_offset=qy.zero_point,
            clamp_min=low,
            clamp_max=high,
        )

    def run_int(self, params: TransposeConvParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        weights = p.weights.reshape(p.out_c, p.kernel_h, p.kernel_w, p.in_c)
        offset = inputs[0].astype(np.int64) + p.input_offset
        acc = _spread(offset, weights, (p.stride_h, p.stride_w), (p.pad_top, p.pad_left), (p.out_h, p.out_w))
        if p.bias is not None:
            acc = acc + p.bias.astype(np.int64)
        return (rescaled(p, acc, inputs[0].dtype),)

    def call(self, view: NodeView, params: TransposeConvParams) -> Call:
        return Call(kernel="transpose_conv", params=params, inputs=(2,))

    def macs(self, view: NodeView) -> int:
        weights = view.input(1)
        return view.input(2).size * weights.shape[0] * weights.shape[1] * weights.shape[2]

    def read_options(self, options: Any, view: NodeView) -> TransposeConvAttributes:
        stride = (options.StrideH(), options.StrideW())
        padding = Padding()
        if options.Padding() == 0 and min(stride) > 0:
            kernel, sizes = view.input(1).shape[1:3], view.outputs[0].shape[1:3]
            top, bottom = same_padding(sizes[0], kernel[0], stride[0])
            left, right = same_padding(sizes[1], kernel[1], stride[1])
            padding = Padding(top=top, bottom=bottom, left=left, right=right)
        code = options.FusedActivationFunction()
        return TransposeConvAttributes(
            stride=stride, padding=padding, activation=fused_activation(view, code)
        )

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        a = _attributes(view)
        return {
            "Padding": 1 if a.padding == Padding() else 0,
            "StrideH": a.stride[0],
            "StrideW": a.stride[1],
            "FusedActivationFunction": ACTIVATIONS.index(a.activation),
        }


OPERATOR = TransposeConv()


def _attributes(view: NodeView) -> TransposeConvAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, TransposeConvAttributes)
    return attributes


def _spread(x: Array, weights: Array, stride: Pair, pad: Pair, size: Sequence[int]) -> Array:
    """(V, N, H, W, C) spread by (out, kh, kw, C) over (V, N, *size, out), tap by tap."""
    merged = x.reshape(-1, *x.shape[2:])
    out_c, kernel_h, kernel_w, _ = weights.shape
    count, in_h, in_w, _ = merged.shape
    reach = ((in_h - 1) * stride[0] + kernel_h, (in_w - 1) * stride[1] + kernel_w)
    room = (max(reach[0], pad[0] + size[0]), max(reach[1], pad[1] + size[1]))
    integer = np.issubdtype(x.dtype, np.integer)
    full = np.zeros((count, *room, out_c), np.int64 if integer else x.dtype)
    for ky in range(kernel_h):
        for kx in range(kernel_w):
            taps = weights[:, ky, kx].T
            share = exact_matmul(merged, taps) if integer else merged @ taps
            rows = slice(ky, ky + (in_h - 1) * stride[0] + 1, stride[0])
            columns = slice(kx, kx + (in_w - 1) * stride[1] + 1, stride[1])
            full[:, rows, columns] += share
    cut = full[:, pad[0] : pad[0] + size[0], pad[1] : pad[1] + size[1]]
    return cut.reshape(x.shape[0], x.shape[1], *cut.shape[1:])
