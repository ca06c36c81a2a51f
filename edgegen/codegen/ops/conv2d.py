"""conv2d: two-dimensional convolution, with groups, strides, dilation and explicit padding."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import quantize_multipliers
from edgegen.codegen.graph import Array, Attributes, DType
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
    exact_matmul,
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


@dataclass(frozen=True)
class Conv2dAttributes(Attributes):
    stride: Pair = (1, 1)
    dilation: Pair = (1, 1)
    padding: Padding = field(default_factory=Padding)
    activation: str = "none"


@dataclass(frozen=True, eq=False)
class Conv2dParams(Params):
    """Weights are (out, kh, kw, in / groups); multiplier and shift have one entry an output channel."""

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
    group_c: int
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


@dataclass(frozen=True, eq=False)
class Conv2dInt16Params(Conv2dParams):
    """With int16 activations the bias is int64; `wide` says that sums have 64 bits and are rounded once."""

    wide: int = 0


class Conv2d(Operator):
    name = "conv2d"
    attributes = Conv2dAttributes
    tflite = "CONV_2D"
    tflite_options = "Conv2DOptions"
    types = "int8, int16 x int8"
    constraints = "weights constant, (out, kh, kw, in / groups)"
    mixes_channels = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, weights = view.input(0), view.input(1)
        if len(x.shape) != 4 or len(weights.shape) != 4:
            raise view.error(
                f"takes an input (batch, h, w, c) and weights (out, kh, kw, in), "
                f"got {x.describe()} and {weights.describe()}"
            )
        check_bias(view, 2, weights.shape[0])
        attributes = attributes_of(view)
        channels, group = x.shape[3], weights.shape[3]
        if group == 0 or channels % group or weights.shape[0] % (channels // group):
            raise view.error(
                f"weights of {group} input channels and {weights.shape[0]} outputs do not divide an input "
                f"of {channels} channels into groups"
            )
        height, width = spatial_output(
            view, weights.shape[1:3], attributes.stride, attributes.dilation, attributes.padding
        )
        return (TensorType((x.shape[0], height, width, weights.shape[0]), x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x, weights, bias = inputs[0], inputs[1], inputs[2] if len(inputs) > 2 else None
        assert x is not None and weights is not None
        attributes = attributes_of(view)
        out = _correlate(
            x, weights[0], attributes.stride, attributes.dilation, attributes.padding, pad_value=0.0
        )
        if bias is not None:
            out = out + bias[0]
        return (apply_activation(attributes.activation, out).astype(x.dtype),)

    def prepare(self, view: NodeView) -> Conv2dParams:
        x, weights, y = view.input(0), view.input(1), view.outputs[0]
        activations = x.dtype in (DType.INT8, DType.INT16) and y.dtype is x.dtype
        if not activations or weights.dtype is not DType.INT8:
            raise view.error(
                f"takes int8 or int16 activations and int8 weights, got {x.describe()}, "
                f"{weights.describe()} and {y.describe()}"
            )
        attributes = attributes_of(view)
        qx, qw, qy = quantization(view, x), quantization(view, weights), quantization(view, y)
        scales = np.broadcast_to(np.array(qw.scales, np.float64), (weights.shape[0],))
        multiplier, shift = quantize_multipliers(qx.scale * scales / qy.scale)
        low, high = activation_range(attributes.activation, y, view)
        made = Conv2dParams(
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
            out_c=y.shape[3],
            kernel_h=weights.shape[1],
            kernel_w=weights.shape[2],
            group_c=weights.shape[3],
            stride_h=attributes.stride[0],
            stride_w=attributes.stride[1],
            dilation_h=attributes.dilation[0],
            dilation_w=attributes.dilation[1],
            pad_top=attributes.padding.top,
            pad_left=attributes.padding.left,
            input_offset=-qx.zero_point,
            output_offset=qy.zero_point,
            clamp_min=low,
            clamp_max=high,
        )
        if x.dtype is DType.INT8:
            return made
        return Conv2dInt16Params(**vars(made), wide=accumulates_wide(view, 2, made.shift))

    def run_int(self, params: Conv2dParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (rescaled(params, _accumulate(params, inputs[0]), inputs[0].dtype),)

    def bounds(
        self, view: NodeView, params: Conv2dParams, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        positive = replace(params, weights=np.maximum(params.weights, 0), bias=None)
        negative = replace(params, weights=np.minimum(params.weights, 0))
        least = _accumulate(positive, low[0]) + _accumulate(negative, high[0])
        most = _accumulate(positive, high[0]) + _accumulate(negative, low[0])
        return rescale_bounds(params, least, most, low[0].dtype)

    def call(self, view: NodeView, params: Conv2dParams) -> Call:
        kernel = "conv2d" if view.input(0).dtype is DType.INT8 else "conv2d_int16"
        return Call(kernel=kernel, params=params)

    def macs(self, view: NodeView) -> int:
        weights = view.input(1)
        return view.outputs[0].size * int(np.prod(weights.shape[1:]))

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        stride = (options.StrideH(), options.StrideW())
        dilation = (options.DilationHFactor(), options.DilationWFactor())
        return Conv2dAttributes(
            stride=stride,
            dilation=dilation,
            padding=padding_of(options.Padding(), view, view.input(1).shape[1:3], stride, dilation),
            activation=fused_activation(view, options.FusedActivationFunction()),
        )

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        attributes = attributes_of(view)
        return {
            "Padding": padding_code(attributes.padding),
            "StrideH": attributes.stride[0],
            "StrideW": attributes.stride[1],
            "DilationHFactor": attributes.dilation[0],
            "DilationWFactor": attributes.dilation[1],
            "FusedActivationFunction": ACTIVATIONS.index(attributes.activation),
        }


OPERATOR = Conv2d()


def attributes_of(view: NodeView) -> Conv2dAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, Conv2dAttributes)
    return attributes


def _accumulate(p: Conv2dParams, x: Array) -> Array:
    """The accumulators of every output element, bias included."""
    weights = p.weights.reshape(p.out_c, p.kernel_h, p.kernel_w, p.group_c)
    offset = x.astype(np.int32) + np.int32(p.input_offset)
    acc = _correlate(
        offset, weights, (p.stride_h, p.stride_w), (p.dilation_h, p.dilation_w), end_padding(p), pad_value=0
    )
    return acc if p.bias is None else acc + p.bias.astype(np.int64)


def _correlate(
    x: Array, weights: Array, stride: Pair, dilation: Pair, padding: Padding, *, pad_value: float
) -> Array:
    """Grouped correlation of (V, N, H, W, C) with (out, kh, kw, in / groups)."""
    vectors, batch = x.shape[:2]
    merged = x.reshape(-1, *x.shape[2:])
    padded = np.pad(merged, ((0, 0), *padding.pairs, (0, 0)), constant_values=pad_value)
    out_c, kernel_h, kernel_w, group_c = weights.shape
    groups = x.shape[-1] // group_c
    view = windows(padded, (kernel_h, kernel_w), stride, dilation)
    integer = np.issubdtype(x.dtype, np.integer)
    parts = []
    for group in range(groups):
        columns = view[..., group * group_c : (group + 1) * group_c]
        columns = columns.reshape(*view.shape[:3], kernel_h * kernel_w * group_c)
        filters = np.split(weights, groups)[group].reshape(out_c // groups, -1).T
        parts.append(exact_matmul(columns, filters) if integer else columns @ filters)
    out = np.concatenate(parts, axis=-1)
    return out.reshape(vectors, batch, *out.shape[1:])
