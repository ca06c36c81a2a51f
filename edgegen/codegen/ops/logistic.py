"""logistic: 1 / (1 + e^-x)."""

from __future__ import annotations

import numpy as np

from edgegen.codegen import fixed_functions
from edgegen.codegen.arithmetic import Int64
from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.saturating_curves import (
    INTEGER_BITS,
    Curve,
    CurveInt16Params,
    interpolate,
    table_input,
)


class Logistic(Curve):
    name = "logistic"
    tflite = "LOGISTIC"
    constraints = "output scale 1/256 and zero point -128 (int16: 1/32768 and 0)"
    output_bits = 8
    output_zero_point = -128
    power_of_two_shifts = (0,)

    def function(self, view: NodeView, x: Array) -> Array:
        return 0.5 * np.tanh(0.5 * x) + 0.5

    def fixed(self, x: Int64) -> Int64:
        return fixed_functions.logistic(x, INTEGER_BITS)

    def run_int16(self, params: CurveInt16Params, x: Array) -> Array:
        at = table_input(params, x)
        half = interpolate(params, np.abs(at), step_bits=9, saturated=0x7FFF << 10)
        full = np.where(at >= 0, half + (1 << 9), (1 << 25) - half + (1 << 9) - 1)
        return (full >> 10).astype(np.int16)


OPERATOR = Logistic()
