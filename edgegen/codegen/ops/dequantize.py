"""dequantize: from integers to float at the edge of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType
from edgegen.codegen.ops.common import quantization

ACCEPTS = (DType.INT8, DType.UINT8, DType.INT16)


@dataclass(frozen=True, eq=False)
class DequantizeParams(Params):
    """out = scale * (in - zero_point) in float32: the product of two exact numbers, rounded once."""

    scale: float
    count: int
    input_bytes: int
    input_signed: int
    zero_point: int


class Dequantize(Operator):
    name = "dequantize"
    tflite = "DEQUANTIZE"
    tflite_options = "DequantizeOptions"
    types = "int8, uint8, int16 to float32"
    constraints = "one scale for the tensor"
    monotone = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        return (TensorType(view.input(0).shape, DType.FLOAT32),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        assert inputs[0] is not None
        return (inputs[0],)

    def prepare(self, view: NodeView) -> DequantizeParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype not in ACCEPTS or y.dtype is not DType.FLOAT32:
            raise view.error(f"takes {self.types}, got {x.describe()} and {y.describe()}")
        q = quantization(view, x)
        if q.per_channel:
            raise view.error(f"takes one scale for the input, but {x.describe()} has {len(q.scales)}")
        return DequantizeParams(
            scale=q.scale,
            count=x.size,
            input_bytes=x.dtype.bytes,
            input_signed=int(x.dtype is not DType.UINT8),
            zero_point=q.zero_point,
        )

    def run_int(self, params: DequantizeParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        steps = (inputs[0].astype(np.int32) - np.int32(params.zero_point)).astype(np.float32)
        return ((np.float32(params.scale) * steps).astype(np.float32),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="dequantize", params=params)


OPERATOR = Dequantize()
