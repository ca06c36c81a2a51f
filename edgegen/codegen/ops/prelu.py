"""prelu: x where positive, alpha * x elsewhere, with an alpha an element that broadcasts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgegen.codegen.arithmetic import quantize_multiplier, requantize, wrap32
from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import NodeView, Params, reference_only
from edgegen.codegen.ops.broadcast import aligned, plan_broadcast
from edgegen.codegen.ops.common import RANGES, quantization
from edgegen.codegen.ops.pairs import PairOperator


@dataclass(frozen=True, eq=False)
class PreluParams(Params):
    """Loops of the broadcast; a multiplier and shift on each side of zero."""

    size: tuple[int, ...]
    first_step: tuple[int, ...]
    second_step: tuple[int, ...]
    element_bytes: int
    input_offset: int
    alpha_offset: int
    output_offset: int
    positive_multiplier: int
    positive_shift: int
    negative_multiplier: int
    negative_shift: int
    clamp_min: int
    clamp_max: int
    rank: int = reference_only()


class Prelu(PairOperator):
    """Input 1 is alpha; it is int8 also where the activations are int16."""

    name = "prelu"
    tflite = "PRELU"
    types = "int8, int16 x int8"
    kernel = "prelu"

    def combine(self, first: Array, second: Array) -> Array:
        return np.where(first >= 0, first, first * second)

    def prepare(self, view: NodeView) -> PreluParams:
        x, alpha, y = view.input(0), view.input(1), view.outputs[0]
        if (
            x.dtype not in (DType.INT8, DType.INT16)
            or alpha.dtype is not DType.INT8
            or y.dtype is not x.dtype
        ):
            raise view.error(
                f"takes int8 or int16 with int8 slopes, got {x.describe()}, {alpha.describe()} "
                f"and {y.describe()}"
            )
        qx, qa, qy = quantization(view, x), quantization(view, alpha), quantization(view, y)
        positive, positive_shift = quantize_multiplier(qx.scale / qy.scale)
        negative, negative_shift = quantize_multiplier(qx.scale * qa.scale / qy.scale)
        loops = plan_broadcast(x.shape, alpha.shape)
        low, high = RANGES[x.dtype]
        return PreluParams(
            size=loops.size,
            first_step=loops.first_step,
            second_step=loops.second_step,
            element_bytes=x.dtype.bytes,
            input_offset=-qx.zero_point,
            alpha_offset=-qa.zero_point,
            output_offset=qy.zero_point,
            positive_multiplier=positive,
            positive_shift=positive_shift,
            negative_multiplier=negative,
            negative_shift=negative_shift,
            clamp_min=low,
            clamp_max=high,
            rank=len(y.shape),
        )

    def run_int(self, params: PreluParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        x, alpha = (aligned(array, p.rank).astype(np.int64) for array in inputs)
        value = x + p.input_offset
        product = value * (alpha + p.alpha_offset)
        positive = requantize(value, p.positive_multiplier, p.positive_shift)
        negative = requantize(product, p.negative_multiplier, p.negative_shift)
        out = wrap32(np.where(value >= 0, positive, negative) + p.output_offset)
        return (np.clip(out, p.clamp_min, p.clamp_max).astype(inputs[0].dtype),)


OPERATOR = Prelu()
