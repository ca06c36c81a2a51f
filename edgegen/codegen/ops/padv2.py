"""padv2: elements of a given value around a tensor."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.pad import PadOperator


class PadV2(PadOperator):
    """As pad, with the value as input 2: one constant element of the input's type and quantisation."""

    name = "padv2"
    tflite = "PADV2"
    tflite_options = "PadV2Options"
    constraints = "paddings and value constant, up to 6 dimensions"

    def value(self, view: NodeView) -> Array:
        x, y, value = view.input(0), view.outputs[0], view.input(2)
        data = view.constant(2, "the value of the padding")
        if data.size != 1 or value.dtype is not x.dtype:
            raise view.error(f"pads {x.describe()} with one element of its type, got {value.describe()}")
        if x.dtype is DType.INT8 and value.quantization != y.quantization:
            raise view.error(f"takes a value in the quantisation of {y.describe()}, got {value.describe()}")
        return data.reshape(())

    def float_value(self, view: NodeView) -> float:
        return float(np.ravel(view.constant(2, "the value of the padding"))[0])


OPERATOR = PadV2()
