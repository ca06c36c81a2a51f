"""fully_connected: a dense layer, y = x W^T + b."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import quantize_multipliers
from edgegen.codegen.graph import Array, Attributes, DType, Tensor
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, flat, reference_only
from edgegen.codegen.ops.common import (
    ACTIVATIONS,
    accumulates_wide,
    activation_range,
    apply_activation,
    check_bias,
    exact_matmul,
    fused_activation,
    kernel_bias,
    quantization,
    rescale_bounds,
    rescaled,
)


@dataclass(frozen=True)
class FullyConnectedAttributes(Attributes):
    activation: str = "none"
    keep_dims: bool = False


@dataclass(frozen=True, eq=False)
class FullyConnectedParams(Params):
    """Weights are (out, in); multiplier and shift have one entry an output."""

    weights: Array
    bias: Array | None
    multiplier: Array
    shift: Array
    rows: int
    in_features: int
    out_features: int
    input_offset: int
    output_offset: int
    clamp_min: int
    clamp_max: int
    output_shape: tuple[int, ...] = reference_only()


@dataclass(frozen=True, eq=False)
class FullyConnectedInt16Params(FullyConnectedParams):
    """With int16 activations the bias is int64; `wide` says that sums have 64 bits and are rounded once."""

    wide: int = 0


class FullyConnected(Operator):
    name = "fully_connected"
    attributes = FullyConnectedAttributes
    tflite = "FULLY_CONNECTED"
    tflite_options = "FullyConnectedOptions"
    types = "int8, int16 x int8"
    constraints = "weights constant, (out, in), per tensor or per output channel"
    mixes_channels = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, weights = view.input(0), view.input(1)
        if len(weights.shape) != 2 or not x.shape or weights.shape[1] == 0 or x.size % weights.shape[1]:
            raise view.error(f"weights (out, in) of {weights.describe()} do not fit {x.describe()}")
        check_bias(view, 2, weights.shape[0])
        if not _attributes(view).keep_dims:
            return (TensorType((x.size // weights.shape[1], weights.shape[0]), x.dtype),)
        if x.shape[-1] != weights.shape[1]:
            raise view.error(
                f"keeps dimensions, so weights of {weights.shape[1]} inputs do not fit {x.describe()}"
            )
        return (TensorType((*x.shape[:-1], weights.shape[0]), x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x, weights, bias = inputs[0], inputs[1], inputs[2] if len(inputs) > 2 else None
        assert x is not None and weights is not None
        out = x.reshape(x.shape[0], -1, weights.shape[2]) @ weights[0].T
        if bias is not None:
            out = out + bias[0]
        out = apply_activation(_attributes(view).activation, out).astype(x.dtype)
        return (out.reshape(x.shape[0], *self.infer(view)[0].shape),)

    def prepare(self, view: NodeView) -> FullyConnectedParams:
        x, weights, y = view.input(0), view.input(1), view.outputs[0]
        activations = x.dtype in (DType.INT8, DType.INT16) and y.dtype is x.dtype
        if not activations or weights.dtype is not DType.INT8:
            raise view.error(
                f"takes int8 or int16 activations and int8 weights, got {x.describe()}, "
                f"{weights.describe()} and {y.describe()}"
            )
        multiplier, shift = quantize_multipliers(_real_multipliers(view, x, weights, y))
        low, high = activation_range(_attributes(view).activation, y, view)
        qx, qy = quantization(view, x), quantization(view, y)
        made = FullyConnectedParams(
            weights=flat(view.constant(1, "the weights"), np.int8),
            bias=kernel_bias(view, 2),
            multiplier=np.broadcast_to(multiplier, (weights.shape[0],)).copy(),
            shift=flat(np.broadcast_to(shift, (weights.shape[0],)), np.int8),
            rows=x.size // weights.shape[1],
            in_features=weights.shape[1],
            out_features=weights.shape[0],
            input_offset=-qx.zero_point,
            output_offset=qy.zero_point,
            clamp_min=low,
            clamp_max=high,
            output_shape=y.shape,
        )
        if x.dtype is DType.INT8:
            return made
        return FullyConnectedInt16Params(**vars(made), wide=accumulates_wide(view, 2, made.shift))

    def run_int(self, params: FullyConnectedParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (_shaped(params, rescaled(params, _accumulate(params, inputs[0]), inputs[0].dtype)),)

    def bounds(
        self, view: NodeView, params: FullyConnectedParams, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        positive = replace(params, weights=np.maximum(params.weights, 0), bias=None)
        negative = replace(params, weights=np.minimum(params.weights, 0))
        least = _accumulate(positive, low[0]) + _accumulate(negative, high[0])
        most = _accumulate(positive, high[0]) + _accumulate(negative, low[0])
        (lowest,), (highest,) = rescale_bounds(params, least, most, low[0].dtype)
        return (_shaped(params, lowest),), (_shaped(params, highest),)

    def call(self, view: NodeView, params: FullyConnectedParams) -> Call:
        kernel = "fully_connected" if view.input(0).dtype is DType.INT8 else "fully_connected_int16"
        return Call(kernel=kernel, params=params)

    def macs(self, view: NodeView) -> int:
        return view.outputs[0].size * view.input(1).shape[1]

    def read_options(self, options: Any, view: NodeView) -> FullyConnectedAttributes:
        if options is None:
            return FullyConnectedAttributes()
        if options.WeightsFormat() != 0:
            raise view.error(
                "takes weights in the default format, got shuffled ones; export without shuffling"
            )
        activation = fused_activation(view, options.FusedActivationFunction())
        return FullyConnectedAttributes(activation=activation, keep_dims=bool(options.KeepNumDims()))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        attributes = _attributes(view)
        return {
            "FusedActivationFunction": ACTIVATIONS.index(attributes.activation),
            "KeepNumDims": attributes.keep_dims,
        }


OPERATOR = FullyConnected()


def _attributes(view: NodeView) -> FullyConnectedAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, FullyConnectedAttributes)
    return attributes


def _real_multipliers(view: NodeView, x: Tensor, weights: Tensor, y: Tensor) -> Array:
    """Real multipliers, in double. Older versions of TFLM had a float product where there is no bias."""
    qx, qw, qy = quantization(view, x), quantization(view, weights), quantization(view, y)
    return qx.scale * np.array(qw.scales, np.float64) / qy.scale


def _accumulate(p: FullyConnectedParams, x: Array) -> Array:
    weights = p.weights.reshape(p.out_features, p.in_features)
    offset = x.reshape(x.shape[0], p.rows, p.in_features).astype(np.int32) + np.int32(p.input_offset)
    acc = exact_matmul(offset, weights.T)
    return acc if p.bias is None else acc + p.bias.astype(np.int64)


def _shaped(p: FullyConnectedParams, out: Array) -> Array:
    return out.reshape(out.shape[0], *p.output_shape)
