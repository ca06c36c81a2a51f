"""relu: max(x, 0), with a change of scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from edgegen.codegen.arithmetic import Int64
from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import Call, NodeView, Params
from edgegen.codegen.ops.common import activation_range, apply_activation, quantization
from edgegen.codegen.ops.requantizing import (
    RequantizeParams,
    in_place,
    requantize_bounds,
    rescaling_params,
    run_requantize,
)
from edgegen.codegen.ops.tables import Lookup, ratio, rescale_table


class ClampedRescale(Lookup):
    """An activation that clamps after the rescale (TFLM `activations_common.cc`)."""

    activation: ClassVar[str]
    types = "int8, int16"
    accepts = (DType.INT8, DType.INT16)
    monotone = True

    def function(self, view: NodeView, x: Array) -> Array:
        return apply_activation(self.activation, x)

    def table(self, view: NodeView) -> Int64:
        x, y = quantization(view, view.input(0)), quantization(view, view.outputs[0])
        low, high = activation_range(self.activation, view.outputs[0], view)
        # clamped in this order, as TFLM does, where a zero point outside the type leaves low > high
        return np.minimum(np.maximum(rescale_table(view, ratio(x, y)), low), high)

    def prepare(self, view: NodeView) -> Params:
        x, y = self.check_types(view)
        if x.dtype is DType.INT8:
            return super().prepare(view)
        clamp = activation_range(self.activation, y, view)
        return rescaling_params(view, x, y, clamp=clamp)

    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        if isinstance(params, RequantizeParams):
            return (run_requantize(params, inputs[0]),)
        return super().run_int(params, inputs)

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        if not isinstance(params, RequantizeParams):
            return super().bounds(view, params, low, high)
        least, most = requantize_bounds(params, low[0], high[0])
        return (least,), (most,)

    def call(self, view: NodeView, params: Any) -> Call:
        if isinstance(params, RequantizeParams):
            return Call(kernel="rescale", params=params, in_place=in_place(params))
        return super().call(view, params)


class Relu(ClampedRescale):
    name = "relu"
    tflite = "RELU"
    activation = "relu"


OPERATOR = Relu()
