"""tanh: the hyperbolic tangent."""

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


class Tanh(Curve):
    name = "tanh"
    tflite = "TANH"
    constraints = "output scale 1/128 and zero point 0 (int16: 1/32768 and 0)"
    output_bits = 7
    output_zero_point = 0
    power_of_two_shifts = (0, 1)

    def function(self, view: NodeView, x: Array) -> Array:
        return np.tanh(x)

    def fixed(self, x: Int64) -> Int64:
        return fixed_functions.tanh(x, INTEGER_BITS)

    def run_int16(self, params: CurveInt16Params, x: Array) -> Array:
        at = table_input(params, x)
        # tanh(x) = 2 sigmoid(2x) - 1, so the same table is walked in half steps
        half = interpolate(params, np.abs(at), step_bits=8, saturated=0xFFFF << 8)
        full = np.where(at >= 0, half - (1 << 23) + (1 << 7), -half + (1 << 23) + (1 << 7) - 1)
        return (full >> 8).astype(np.int16)


OPERATOR = Tanh()
