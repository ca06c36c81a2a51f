"""squared_difference: (a - b)^2."""

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
class SquaredDifferenceParams(Params):
    """Both operands on one scale, their difference squared, then the output's scale."""

    size: tuple[int, ...]
    first_step: tuple[int, ...]
    second_step: tuple[int, ...]
    element_bytes: int
    left_shift: int
    first_offset: int
    first_multiplier: int
    first_shift: int
    second_offset: int
    second_multiplier: int
    second_shift: int
    output_offset: int
    output_multiplier: int
    output_shift: int
    clamp_min: int
    clamp_max: int
    rank: int = reference_only()


class SquaredDifference(PairOperator):
    name = "squared_difference"
    tflite = "SQUARED_DIFFERENCE"
    tflite_options = "SquaredDifferenceOptions"
    types = "int8, int16"
    accepts = (DType.INT8, DType.INT16)
    kernel = "squared_difference"

    def combine(self, first: Array, second: Array) -> Array:
        squared: Array = np.square(first - second)
        return squared

    def prepare(self, view: NodeView) -> SquaredDifferenceParams:
        dtype = self.check_types(view)
        first, second, y = view.input(0), view.input(1), view.outputs[0]
        q1, q2, qy = quantization(view, first), quantization(view, second), quantization(view, y)
        if dtype is DType.INT16 and (q1.zero_point or q2.zero_point or qy.zero_point):
            raise view.error("takes int16 at zero point 0")
        left_shift = 7 if dtype is DType.INT8 else 0
        twice_max = 2.0 * max(q1.scale, q2.scale)
        output, output_shift = quantize_multiplier(twice_max * twice_max / ((1 << 2 * left_shift) * qy.scale))
        multiplier1, shift1 = quantize_multiplier(q1.scale / twice_max)
        multiplier2, shift2 = quantize_multiplier(q2.scale / twice_max)
        loops = plan_broadcast(first.shape, second.shape)
        low, high = RANGES[dtype]
        return SquaredDifferenceParams(
            size=loops.size,
            first_step=loops.first_step,
            second_step=loops.second_step,
            element_bytes=dtype.bytes,
            left_shift=left_shift,
            first_offset=-q1.zero_point,
            first_multiplier=multiplier1,
            first_shift=shift1,
            second_offset=-q2.zero_point,
            second_multiplier=multiplier2,
            second_shift=shift2,
            output_offset=qy.zero_point,
            output_multiplier=output,
            output_shift=output_shift,
            clamp_min=low,
            clamp_max=high,
            rank=len(y.shape),
        )

    def run_int(self, params: SquaredDifferenceParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        first, second = (aligned(x, p.rank).astype(np.int64) for x in inputs)
        first = requantize((first + p.first_offset) << p.left_shift, p.first_multiplier, p.first_shift)
        second = requantize((second + p.second_offset) << p.left_shift, p.second_multiplier, p.second_shift)
        square = np.square(first - second)
        out = wrap32(requantize(square, p.output_multiplier, p.output_shift) + p.output_offset)
        return (np.clip(out, p.clamp_min, p.clamp_max).astype(inputs[0].dtype),)


OPERATOR = SquaredDifference()
