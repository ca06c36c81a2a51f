"""depthwise_conv2d: each input channel convolved with its own filters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import quantize_multipliers
from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, flat
from edgegen.codegen.ops.common import (
    ACTIVATIONS,
    Padding,
    Pair,
    accumulates_wide,
    activation_range,
    apply_activation,
    check_bias,
    end_padding,
    fused_activation,
    kernel_bias,
    padding_code,
    padding_of,
    quantization,
    rescale_bounds,
    rescaled,
    spatial_output,
    windows,
)
from edgegen.codegen.ops.conv2d import Conv2dAttributes


@dataclass(frozen=True)
class DepthwiseConv2dAttributes(Conv2dAttributes):
    """As of conv2d; the multiplier follows from the shapes."""


@dataclass(frozen=True, eq=False)
class DepthwiseConv2dParams(Params):
    """Weights are (kh, kw, out); output channel o reads input channel o // depth_multiplier."""

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
    depth_multiplier: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    dilation_h: int
    dilation_w: int
    pad_top: int
    pad_left: int
    input_offset: int
    output_offset: int
    clamp_min: int
    clamp_max: int

    @property
    def out_c(self) -> int:
        return self.in_c * self.depth_multiplier


@dataclass(frozen=True, eq=False)
class DepthwiseConv2dInt16Params(DepthwiseConv2dParams):
    """With int16 activations the bias is int64; `wide` says that sums have 64 bits and are rounded once."""

    wide: int = 0


class DepthwiseConv2d(Operator):
    name = "depthwise_conv2d"
    attributes = DepthwiseConv2dAttributes
    tflite = "DEPTHWISE_CONV_2D"
    tflite_options = "DepthwiseConv2DOptions"
    types = "int8, int16 x int8"
    constraints = "weights constant, (1, kh, kw, out); out a multiple of the input's channels"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, weights = view.input(0), view.input(1)
        if len(x.shape) != 4 or len(weights.shape) != 4 or weights.shape[0] != 1:
            raise view.error(
                f"takes an input (batch, h, w, c) and weights (1, kh, kw, out), "
                f"got {x.describe()} and {weights.describe()}"
            )
        if weights.shape[3] == 0 or weights.shape[3] % x.shape[3]:
            raise view.error(
                f"{weights.shape[3]} output channels are no multiple of {x.shape[3]} input channels"
            )
        check_bias(view, 2, weights.shape[3])
        attributes = _attributes(view)
        height, width = spatial_output(
            view, weights.shape[1:3], attributes.stride, attributes.dilation, attributes.padding
        )
        return (TensorType((x.shape[0], height, width, weights.shape[3]), x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x, weights, bias = inputs[0], inputs[1], inputs[2] if len(inputs) > 2 else None
        assert x is not None and weights is not None
        a = _attributes(view)
        out = _correlate(x, weights[0, 0], a.stride, a.dilation, a.padding, x.dtype)
        if bias is not None:
            out = out + bias[0]
        return (apply_activation(a.activation, out).astype(x.dtype),)

    def prepare(self, view: NodeView) -> DepthwiseConv2dParams:
        x, weights, y = view.input(0), view.input(1), view.outputs[0]
        activations = x.dtype in (DType.INT8, DType.INT16) and y.dtype is x.dtype
        if not activations or weights.dtype is not DType.INT8:
            raise view.error(
                f"takes int8 or int16 activations and int8 weights, got {x.describe()}, "
                f"{weights.describe()} and {y.describe()}"
            )
        bias = view.optional(2)
        if x.dtype is DType.INT16 and bias is not None and bias.dtype is not DType.INT64:
            raise view.error(
                f"takes an int64 bias with int16 activations, as TFLM reads it, got {bias.describe()}"
            )
        a = _attributes(view)
        qx, qw, qy = quantization(view, x), quantization(view, weights), quantization(view, y)
        scales = np.broadcast_to(np.array(qw.scales, np.float64), (weights.shape[3],))
        multiplier, shift = quantize_multipliers(qx.scale * scales / qy.scale)
        low, high = activation_range(a.activation, y, view)
        made = DepthwiseConv2dParams(
            weights=flat(view.constant(1, "the weights"), np.int8),
            bias=kernel_bias(view, 2),
            multiplier=multiplier,
            shift=flat(shift, np.int8),
            batch=x.shape[0],
            in_h=x.shape[1],
            in_w=x.shape[2],
            in_c=x.shape[3],
            out_h=y.shape[1],
            out_w=y.shape[2],
            depth_multiplier=weights.shape[3] // x.shape[3],
            kernel_h=weights.shape[1],
            kernel_w=weights.shape[2],
            stride_h=a.stride[0],
            stride_w=a.stride[1],
            dilation_h=a.dilation[0],
            dilation_w=a.dilation[1],
            pad_top=a.padding.top,
            pad_left=a.padding.left,
            input_offset=-qx.zero_point,
            output_offset=qy.zero_point,
            clamp_min=low,
            clamp_max=high,
        )
        if x.dtype is DType.INT8:
            return made
        return DepthwiseConv2dInt16Params(**vars(made), wide=accumulates_wide(view, 2, made.shift))

    def run_int(self, params: DepthwiseConv2dParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (rescaled(params, _accumulate(params, inputs[0]), inputs[0].dtype),)

    def bounds(
        self, view: NodeView, params: DepthwiseConv2dParams, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        positive = replace(params, weights=np.maximum(params.weights, 0), bias=None)
        negative = replace(params, weights=np.minimum(params.weights, 0))
        least = _accumulate(positive, low[0]) + _accumulate(negative, high[0])
        most = _accumulate(positive, high[0]) + _accumulate(negative, low[0])
        return rescale_bounds(params, least, most, low[0].dtype)

    def channel_sources(self, view: NodeView) -> Array | None:
        in_c, out_c = view.input(0).shape[-1], view.outputs[0].shape[-1]
        return np.arange(out_c) // (out_c // in_c)

    def call(self, view: NodeView, params: DepthwiseConv2dParams) -> Call:
        kernel = "depthwise_conv2d" if view.input(0).dtype is DType.INT8 else "depthwise_conv2d_int16"
        return Call(kernel=kernel, params=params)

    def macs(self, view: NodeView) -> int:
        weights = view.input(1)
        return view.outputs[0].size * weights.shape[1] * weights.shape[2]

    def read_options(self, options: Any, view: NodeView) -> DepthwiseConv2dAttributes:
        stride = (options.StrideH(), options.StrideW())
        dilation = (options.DilationHFactor(), options.DilationWFactor())
        x, weights = view.input(0), view.input(1)
        if (
            x.shape[-1:]
            and weights.shape[-1:]
            and x.shape[-1] * options.DepthMultiplier() != weights.shape[-1]
        ):
            # TFLM goes by the option alone, so a wrong one would make it compute something else
            raise view.error(
                f"a depth multiplier of {options.DepthMultiplier()} does not lead from the channels of "
                f"{x.describe()} to those of {weights.describe()}"
            )
        return DepthwiseConv2dAttributes(
            stride=stride,
            dilation=dilation,
            padding=padding_of(options.Padding(), view, view.input(1).shape[1:3], stride, dilation),
            activation=fused_activation(view, options.FusedActivationFunction()),
        )

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        a = _attributes(view)
        return {
            "Padding": padding_code(a.padding),
            "StrideH": a.stride[0],
            "StrideW": a.stride[1],
            "DepthMultiplier": view.input(1).shape[3] // view.input(0).shape[3],
            "DilationHFactor": a.dilation[0],
            "DilationWFactor": a.dilation[1],
            "FusedActivationFunction": ACTIVATIONS.index(a.activation),
        }


OPERATOR = DepthwiseConv2d()


def _attributes(view: NodeView) -> DepthwiseConv2dAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, DepthwiseConv2dAttributes)
    return attributes


def _accumulate(p: DepthwiseConv2dParams, x: Array) -> Array:
    """The accumulators of every output element, bias included."""
    weights = p.weights.reshape(p.kernel_h, p.kernel_w, p.out_c)
    stride, dilation = (p.stride_h, p.stride_w), (p.dilation_h, p.dilation_w)
    offset = x.astype(np.int32) + np.int32(p.input_offset)
    wide = np.dtype(np.int64 if x.dtype == np.int16 else np.int32)
    acc = _correlate(offset, weights, stride, dilation, end_padding(p), wide).astype(np.int64)
    return acc if p.bias is None else acc + p.bias.astype(np.int64)


def _correlate(
    x: Array, weights: Array, stride: Pair, dilation: Pair, padding: Padding, dtype: np.dtype[Any]
) -> Array:
    """Depthwise correlation of (V, N, H, W, C) with (kh, kw, C * multiplier), tap by tap."""
    merged = x.reshape(-1, *x.shape[2:])
    padded = np.pad(merged, ((0, 0), *padding.pairs, (0, 0)))
    kernel_h, kernel_w, out_c = weights.shape
    view = windows(padded, (kernel_h, kernel_w), stride, dilation)
    filters = weights.reshape(kernel_h, kernel_w, x.shape[-1], -1).astype(dtype)
    out = np.zeros((*view.shape[:3], x.shape[-1], filters.shape[3]), dtype)
    for ky in range(kernel_h):
        for kx in range(kernel_w):
            out += view[:, :, :, ky, kx, :, np.newaxis] * filters[ky, kx]
    return out.reshape(x.shape[0], x.shape[1], *view.shape[1:3], out_c)
