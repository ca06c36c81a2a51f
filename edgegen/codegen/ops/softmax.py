"""softmax: over the last axis, in fixed point."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import (
    INT32_MAX,
    Int64,
    quantize_multiplier,
    requantize,
    rounding_divide_by_pot,
    saturating_rounding_doubling_high_mul,
)
from edgegen.codegen.fixed_functions import exp_on_negative_values, one_over_one_plus_x
from edgegen.codegen.graph import Array, Attributes, DType, Quantization
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType
from edgegen.codegen.ops.common import quantization

INTEGER_BITS = 5
"""Of the scaled differences: Q5.26."""
SUM_BITS = 12
"""Integer bits of the sum of exponentials: Q12.19."""


@dataclass(frozen=True)
class SoftmaxAttributes(Attributes):
    beta: float = 1.0


@dataclass(frozen=True, eq=False)
class SoftmaxParams(Params):
    """`exponentials[d]` is e^(-d * scale * beta) in Q0.31 for the differences to the row's maximum."""

    exponentials: Array
    count: int
    rows: int
    depth: int


class Softmax(Operator):
    name = "softmax"
    attributes = SoftmaxAttributes
    tflite = "SOFTMAX"
    tflite_options = "SoftmaxOptions"
    types = "int8"
    constraints = "output scale 1/256, zero point -128"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x = view.input(0)
        if not x.shape:
            raise view.error("takes at least one dimension, got a scalar")
        return (TensorType(x.shape, x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        powers = np.exp(_attributes(view).beta * (x - x.max(axis=-1, keepdims=True)))
        return ((powers / powers.sum(axis=-1, keepdims=True)).astype(x.dtype),)

    def prepare(self, view: NodeView) -> SoftmaxParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype is not DType.INT8 or y.dtype is not DType.INT8:
            raise view.error(f"takes int8, got {x.describe()} and {y.describe()}")
        qx, qy = quantization(view, x), quantization(view, y)
        if qy.zero_point != -128 or abs(qy.scale - 1 / 256) > 1e-3 / 256:
            raise view.error(
                f"needs an output scale of 1/256 and zero point -128, got {qy.scale:g}, {qy.zero_point}"
            )
        table = _exponentials(view, qx.scale)
        depth = x.shape[-1]
        return SoftmaxParams(exponentials=table, count=len(table), rows=x.size // depth, depth=depth)

    def run_int(self, params: SoftmaxParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x = inputs[0].astype(np.int64)
        distance = x.max(axis=-1, keepdims=True) - x
        near = distance < params.count
        powers = np.where(near, params.exponentials[np.minimum(distance, params.count - 1)], 0).astype(
            np.int64
        )
        total = rounding_divide_by_pot(powers, SUM_BITS).sum(axis=-1, keepdims=True)
        reciprocal, bits_over_unit = _reciprocal(total)
        product = saturating_rounding_doubling_high_mul(reciprocal, powers)
        out = np.clip(rounding_divide_by_pot(product, bits_over_unit + 31 - 8) - 128, -128, 127)
        return (np.where(near, out, -128).astype(np.int8),)

    def output_quantization(self, dtype: DType) -> Quantization | None:
        return Quantization((1 / 256,), (-128,))

    def call(self, view: NodeView, params: SoftmaxParams) -> Call:
        return Call(kernel="softmax", params=params, in_place=(0,))

    def read_options(self, options: Any, view: NodeView) -> SoftmaxAttributes:
        return SoftmaxAttributes(beta=1.0 if options is None else float(options.Beta()))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"Beta": _attributes(view).beta}


OPERATOR = Softmax()


def _attributes(view: NodeView) -> SoftmaxAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, SoftmaxAttributes)
    return attributes


def _exponentials(view: NodeView, scale: float) -> Array:
    """The exponential of every difference that TFLM does not cut off."""
    fraction_bits = 31 - INTEGER_BITS
    real = min(float(np.float32(_attributes(view).beta)) * scale * (1 << fraction_bits), 2.0**31 - 1.0)
    if real <= 1.0:
        raise view.error(f"an input scale of {scale:g} is too small")
    multiplier, shift = quantize_multiplier(real)
    radius = math.floor(((1 << INTEGER_BITS) - 1) * 2.0**fraction_bits / 2.0**shift)
    differences = -np.arange(min(radius, 255) + 1)
    scaled = requantize(differences, multiplier, shift)
    return exp_on_negative_values(scaled, INTEGER_BITS).astype(np.int32)


def _reciprocal(total: Int64) -> tuple[Int64, Int64]:
    """1 / total of a sum in Q12.19: its mantissa in Q0.31 and the sum's bits above one (GetReciprocal)."""
    bits = np.array([int(value).bit_length() for value in total.ravel()], np.int64).reshape(total.shape)
    headroom = 32 - bits
    fraction = (total << headroom) - (np.int64(1) << 31)
    return one_over_one_plus_x(np.minimum(fraction, INT32_MAX)), SUM_BITS - headroom
