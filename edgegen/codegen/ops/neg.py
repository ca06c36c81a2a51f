"""neg: -x."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.arithmetic import Int64
from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.common import quantization
from edgegen.codegen.ops.tables import Lookup, ratio, rescale_table


class Neg(Lookup):
    """By the multiplier of -scale_in / scale_out. TensorFlow Lite Micro negates floats only."""

    name = "neg"
    tflite = "NEG"
    tflite_options = "NegOptions"
    constraints = "not in TensorFlow Lite Micro as integers"

    def function(self, view: NodeView, x: Array) -> Array:
        return np.negative(x)

    def table(self, view: NodeView) -> Int64:
        x, y = quantization(view, view.input(0)), quantization(view, view.outputs[0])
        return y.zero_point - (rescale_table(view, ratio(x, y)) - y.zero_point)


OPERATOR = Neg()
