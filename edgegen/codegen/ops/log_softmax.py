"""log_softmax: x - log(sum(e^x)) along the last axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import INT32_MIN, quantize_multiplier, requantize, rounding_divide_by_pot
from edgegen.codegen.fixed_functions import exp_on_negative_values, log_of_q12
from edgegen.codegen.graph import Array, DType, Quantization
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType
from edgegen.codegen.ops.common import quantization

INTEGER_BITS = 5
"""Differences to the row's maximum are Q5.26."""
SUM_BITS = 12
"""The sum of exponentials is Q12.19."""
OUTPUT_BITS = 4
MOST = 1 << SUM_BITS
"""Classes whose exponentials' sum cannot overflow."""


@dataclass(frozen=True, eq=False)
class LogSoftmaxParams(Params):
    """Tables over the distance d = maximum - x: of the scaled difference and of its exponential.

    `difference[d]` in Q5.26 and `exponential[d]` in Q12.19, both of [count]; beyond, the exponential is 0
    and the output the lowest. The reverse multiplier turns a sum's logarithm into a limit of d.
    """

    difference: Array
    exponential: Array
    count: int
    rows: int
    depth: int
    reverse_multiplier: int
    reverse_shift: int


class LogSoftmax(Operator):
    name = "log_softmax"
    tflite = "LOG_SOFTMAX"
    tflite_options = "LogSoftmaxOptions"
    constraints = "output scale 1/16 and zero point 127, up to 4096 classes"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x = view.input(0)
        if not x.shape:
            raise view.error(f"takes at least one dimension, got {x.describe()}")
        return (TensorType(x.shape, x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        shifted = x - x.max(axis=-1, keepdims=True)
        return ((shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))).astype(x.dtype),)

    def output_quantization(self, dtype: DType) -> Quantization | None:
        return Quantization((1 / 16,), (127,))

    def prepare(self, view: NodeView) -> LogSoftmaxParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype is not DType.INT8 or y.dtype is not DType.INT8 or x.shape[-1] > MOST:
            raise view.error(f"takes int8 with up to {MOST} classes, got {x.describe()} and {y.describe()}")
        qx, qy = quantization(view, x), quantization(view, y)
        if qy.scale != 1 / 16 or qy.zero_point != 127:
            raise view.error(
                f"gives scale 1/16 and zero point 127, but {y.describe()} has {qy.scale:g} and "
                f"{qy.zero_point}; requantise after it"
            )
        multiplier, shift = quantize_multiplier(min(qx.scale * 2.0 ** (31 - INTEGER_BITS), 2.0**31 - 1))
        if shift < 1:
            raise view.error(f"takes an input scale from 2^-26 on, but {x.describe()} has {qx.scale:g}")
        # the shift of 31 wraps to a negative number in TFLM's int32; it belongs to scales that saturate
        reverse = math.ldexp(1.0, 31 - shift) / multiplier
        reverse_multiplier, reverse_shift = quantize_multiplier(reverse)
        radius = math.floor(((1 << INTEGER_BITS) - 1) * math.ldexp(1.0, 31 - INTEGER_BITS - shift))
        distance = np.arange(min(radius, 255) + 1)
        difference = requantize(-distance, multiplier, shift)
        exponential = rounding_divide_by_pot(exp_on_negative_values(difference, INTEGER_BITS), SUM_BITS)
        return LogSoftmaxParams(
            difference=difference.astype(np.int32),
            exponential=exponential.astype(np.int32),
            count=len(distance),
            rows=x.size // x.shape[-1],
            depth=x.shape[-1],
            reverse_multiplier=reverse_multiplier,
            reverse_shift=reverse_shift,
        )

    def run_int(self, params: LogSoftmaxParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        x = inputs[0].astype(np.int64)
        distance = x.max(axis=-1, keepdims=True) - x
        inside = np.minimum(distance, p.count - 1)
        exponential = np.where(distance < p.count, p.exponential[inside].astype(np.int64), 0)
        log_sum = log_of_q12(exponential.sum(axis=-1, keepdims=True))
        least = requantize(log_sum + INT32_MIN, p.reverse_multiplier, p.reverse_shift)
        kept = (distance < p.count) & (-distance > least)
        difference = p.difference[inside].astype(np.int64) - log_sum
        out = rounding_divide_by_pot(difference, 31 - INTEGER_BITS - OUTPUT_BITS) + 127
        return (np.where(kept, np.clip(out, -128, 127), -128).astype(np.int8),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="log_softmax", params=params, in_place=(0,))


OPERATOR = LogSoftmax()
