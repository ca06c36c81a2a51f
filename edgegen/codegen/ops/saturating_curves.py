"""What logistic and tanh share: the input in fixed point and the table for int16."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from edgegen.codegen.arithmetic import Int64, requantize, rounding_divide_by_pot
from edgegen.codegen.fixed_functions import sigmoid_table
from edgegen.codegen.graph import Array, DType, Quantization
from edgegen.codegen.ops.base import Call, NodeView, Params
from edgegen.codegen.ops.common import quantization
from edgegen.codegen.ops.tables import Lookup, codes

INTEGER_BITS = 4
"""The curves of int8 take their input in Q4.27."""


@dataclass(frozen=True, eq=False)
class CurveInt16Params(Params):
    """`table` is sigmoid(i / 24) in 0.16; the input is brought to steps of 1 / (3 * 4096)."""

    table: Array
    count: int
    multiplier: int
    shift: int


class Curve(Lookup):
    """A saturating function of Q4.27 for int8, and by TFLM's sigmoid table for int16."""

    types = "int8, int16"
    accepts = (DType.INT8, DType.INT16)
    monotone = True
    output_bits: ClassVar[int]
    """The int8 output has steps of 2^-output_bits."""
    output_zero_point: ClassVar[int]
    power_of_two_shifts: ClassVar[tuple[int, ...]]
    """Left shifts at which an int16 input of a power-of-two scale needs no multiplier."""

    def table(self, view: NodeView) -> Int64:
        x = quantization(view, view.input(0))
        multiplier, shift = _fixed_point_multiplier(x.scale)
        radius = _input_radius(shift)
        offset = codes(DType.INT8) - x.zero_point
        inside = np.clip(offset, 1 - radius, radius - 1) if radius > 0 else np.zeros_like(offset)
        curve = self.fixed(requantize(inside, multiplier, shift))
        value = rounding_divide_by_pot(curve, 31 - self.output_bits) + self.output_zero_point
        return np.where(offset <= -radius, -128, np.where(offset >= radius, 127, value))

    def output_quantization(self, dtype: DType) -> Quantization:
        bits, zero = (15, 0) if dtype is DType.INT16 else (self.output_bits, self.output_zero_point)
        return Quantization((2.0**-bits,), (zero,))

    def prepare(self, view: NodeView) -> Params:
        x, _ = self.check_types(view)
        self._check_output(view)
        if x.dtype is DType.INT8:
            return super().prepare(view)
        qx = quantization(view, x)
        multiplier, shift = _int16_multiplier(qx.scale, self.power_of_two_shifts)
        if multiplier > 32767:
            raise view.error(f"takes int16 at a scale below 2.67, but {x.describe()} has {qx.scale:g}")
        return CurveInt16Params(table=sigmoid_table(), count=x.size, multiplier=multiplier, shift=shift)

    def _check_output(self, view: NodeView) -> None:
        """Both scale and zero point of the output are part of the function's definition."""
        x, y = view.input(0), view.outputs[0]
        q, own = quantization(view, y), self.output_quantization(y.dtype)
        if (q.scale, q.zero_point) != (own.scale, own.zero_point):
            raise view.error(
                f"gives {y.dtype.value} at scale {own.scale:g} and zero point {own.zero_point}, "
                f"but {y.describe()} has {q.scale:g} and {q.zero_point}; requantise after it"
            )
        if x.dtype is DType.INT16 and quantization(view, x).zero_point:
            raise view.error(f"takes int16 at zero point 0, but {x.describe()} has another")

    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        if isinstance(params, CurveInt16Params):
            return (self.run_int16(params, inputs[0]),)
        return super().run_int(params, inputs)

    @abstractmethod
    def fixed(self, x: Int64) -> Int64:
        """The function in Q0.31 of a Q4.27 number."""

    @abstractmethod
    def run_int16(self, params: CurveInt16Params, x: Array) -> Array:
        """What the int16 kernel does."""

    def call(self, view: NodeView, params: Any) -> Call:
        if isinstance(params, CurveInt16Params):
            return Call(kernel=f"{self.name}_int16", params=params, in_place=(0,))
        return super().call(view, params)


def table_input(params: CurveInt16Params, x: Array) -> Int64:
    """The int16 input in steps of 1 / (3 * 4096), rounded half up."""
    nudge = (1 << params.shift) >> 1
    scaled: Int64 = (x.astype(np.int64) * params.multiplier + nudge) >> params.shift
    return scaled


def interpolate(params: CurveInt16Params, magnitude: Int64, *, step_bits: int, saturated: int) -> Int64:
    """The sigmoid of a magnitude between two table entries, shifted left by step_bits."""
    entry = np.minimum(magnitude >> step_bits, 255)
    table = params.table.astype(np.int64)
    low, high = table[entry], table[np.minimum(entry + 1, 255)]
    between = (low << step_bits) + (magnitude & ((1 << step_bits) - 1)) * (high - low)
    return np.where(entry >= 255, saturated, between)


def _fixed_point_multiplier(scale: float) -> tuple[int, int]:
    """The multiplier that brings an input to Q4.27; unlike others it may reach 2^31 and is not capped."""
    fraction, shift = math.frexp(scale * 2.0 ** (31 - INTEGER_BITS))
    return math.floor(fraction * 2**31 + 0.5), shift


def _input_radius(shift: int) -> int:
    """From where on the input saturates (TFLM CalculateInputRadius)."""
    return math.floor(math.ldexp((1 << INTEGER_BITS) - 1, 31 - INTEGER_BITS - shift))


def _int16_multiplier(scale: float, power_of_two_shifts: Sequence[int]) -> tuple[int, int]:
    """Multiplier and right shift; 3 * 2^shift without a right shift for some powers of two."""
    # the logarithm in float32 and its tolerance are TFLM's (CheckedLog2)
    log2 = np.log(np.float32(scale)) * (np.float32(1) / np.log(np.float32(2)))
    nearest = int(np.rint(log2))
    if abs(log2 - np.float32(nearest)) < np.float32(1e-3) and 12 + nearest in power_of_two_shifts:
        return 3 << (12 + nearest), 0
    multiplier, shift = scale * 4096.0 * 3.0, 0
    while multiplier <= 32767.0 / 2.0 and shift <= 30:
        multiplier, shift = multiplier * 2.0, shift + 1
    return math.trunc(multiplier), shift
