"""rsqrt: one over the square root."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.arithmetic import Int64, quantize_multiplier, requantize
from edgegen.codegen.fixed_functions import inverse_sqrt
from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.common import quantization
from edgegen.codegen.ops.tables import Lookup, codes

_STEPS = 20
"""Bits that keep the reciprocal root of an integer an integer."""


class Rsqrt(Lookup):
    """By table (TFLM `elementwise.cc`); numbers below the zero point, which TFLM refuses, give 127."""

    name = "rsqrt"
    tflite = "RSQRT"

    def function(self, view: NodeView, x: Array) -> Array:
        return 1 / np.sqrt(x)

    def table(self, view: NodeView) -> Int64:
        x, y = quantization(view, view.input(0)), quantization(view, view.outputs[0])
        multiplier, shift = quantize_multiplier(1.0 / (np.sqrt(x.scale) * y.scale))
        values = []
        for code in codes(DType.INT8):
            number = int(code) - x.zero_point
            if number <= 0:
                values.append(127)
                continue
            root, root_shift = inverse_sqrt(number)
            data = requantize(1, root, root_shift + _STEPS)
            values.append(int(requantize(data, multiplier, shift - _STEPS)) + y.zero_point)
        return np.array(values, np.int64)


OPERATOR = Rsqrt()
