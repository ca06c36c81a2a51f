"""abs: the magnitude."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import Int64, quantize_multiplier, requantize
from edgegen.codegen.graph import Array, DType, Quantization
from edgegen.codegen.ops.base import Call, NodeView, Params
from edgegen.codegen.ops.common import quantization
from edgegen.codegen.ops.tables import Lookup, codes


@dataclass(frozen=True, eq=False)
class AbsInt16Params(Params):
    """out = min(requantize(|in|), clamp_max), wrapped; a multiplier of 0 leaves the magnitude as it is."""

    count: int
    multiplier: int
    shift: int
    clamp_max: int


class Abs(Lookup):
    name = "abs"
    tflite = "ABS"
    tflite_options = "AbsOptions"
    types = "int8, int16"
    accepts = (DType.INT8, DType.INT16)

    def function(self, view: NodeView, x: Array) -> Array:
        return np.abs(x)

    def table(self, view: NodeView) -> Int64:
        x, y = quantization(view, view.input(0)), quantization(view, view.outputs[0])
        magnitude = np.abs(codes(DType.INT8) - x.zero_point)
        return _rescaled(magnitude, *_multiplier(x, y)) + y.zero_point

    def prepare(self, view: NodeView) -> Params:
        x, y = self.check_types(view)
        if x.dtype is DType.INT8:
            return super().prepare(view)
        multiplier, shift, clamp_max = 0, 0, 32768
        if x.quantization is not None:
            qx, qy = quantization(view, x), quantization(view, y)
            if qx.zero_point or qy.zero_point:
                raise view.error(f"takes int16 at zero point 0, got {x.describe()} and {y.describe()}")
            multiplier, shift = _multiplier(qx, qy)
            clamp_max = 32767
        # without a quantisation TFLM lets the magnitude of -32768 wrap around
        return AbsInt16Params(count=x.size, multiplier=multiplier, shift=shift, clamp_max=clamp_max)

    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        if isinstance(params, AbsInt16Params):
            magnitude = np.abs(inputs[0].astype(np.int64))
            out = _rescaled(magnitude, params.multiplier, params.shift)
            return (np.minimum(out, params.clamp_max).astype(np.int16),)
        return super().run_int(params, inputs)

    def call(self, view: NodeView, params: Any) -> Call:
        if isinstance(params, AbsInt16Params):
            return Call(kernel="abs_int16", params=params, in_place=(0,))
        return super().call(view, params)


OPERATOR = Abs()


def _multiplier(x: Quantization, y: Quantization) -> tuple[int, int]:
    """0 where the scales are equal: TFLM skips the rescale then."""
    return (0, 0) if x.scale == y.scale else quantize_multiplier(x.scale / y.scale)


def _rescaled(magnitude: Int64, multiplier: int, shift: int) -> Int64:
    return requantize(magnitude, multiplier, shift) if multiplier else magnitude
