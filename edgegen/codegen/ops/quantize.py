"""quantize: from float to integers at the edge of a graph, and between two integer quantisations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType
from edgegen.codegen.ops.common import RANGES, quantization
from edgegen.codegen.ops.requantizing import (
    RequantizeParams,
    in_place,
    requantize_bounds,
    rescaling_params,
    run_requantize,
)
from edgegen.codegen.ops.tables import (
    BYTES,
    LookupInt8Params,
    lookup_bounds,
    lookup_params,
    ratio,
    rescale_table,
    round_half_away,
    run_lookup,
)

FLOAT, I8, U8, I16, I32 = DType.FLOAT32, DType.INT8, DType.UINT8, DType.INT16, DType.INT32

PAIRS = frozenset(
    {(FLOAT, I8), (FLOAT, I16), (I8, I8), (I8, U8), (U8, I8), (I8, I16), (I8, I32)}
    | {(I16, I8), (I16, I16), (I16, I32), (I32, I8), (I32, I16)}
)
"""Input and output types, those of TFLM `quantize_common.cc`."""


@dataclass(frozen=True)
class QuantizeAttributes(Attributes):
    """The output's type; its scale and zero point are the output tensor's own."""

    dtype: DType = DType.INT8


@dataclass(frozen=True, eq=False)
class QuantizeFloatParams(Params):
    """out = clamp(round(in / scale) + zero_point); beyond the integers the result saturates."""

    scale: float
    count: int
    output_bytes: int
    zero_point: int
    clamp_min: int
    clamp_max: int


class Quantize(Operator):
    name = "quantize"
    attributes = QuantizeAttributes
    tflite = "QUANTIZE"
    tflite_options = "QuantizeOptions"
    types = "float32, int8, uint8, int16, int32 to int8, uint8, int16, int32"
    constraints = "one scale for the tensor"
    monotone = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        attributes = view.node.attributes
        dtype = attributes.dtype if isinstance(attributes, QuantizeAttributes) else DType.INT8
        return (TensorType(view.input(0).shape, dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        assert inputs[0] is not None
        return (inputs[0],)

    def prepare(self, view: NodeView) -> Params:
        x, y = view.input(0), view.outputs[0]
        if (x.dtype, y.dtype) not in PAIRS:
            pairs = ", ".join(sorted(f"{a.value} to {b.value}" for a, b in PAIRS))
            raise view.error(f"takes {pairs}, got {x.describe()} and {y.describe()}")
        q = quantization(view, y)
        if q.per_channel:
            raise view.error(f"takes one scale for the output, but {y.describe()} has {len(q.scales)}")
        if x.dtype is FLOAT:
            low, high = RANGES[y.dtype]
            return QuantizeFloatParams(
                scale=q.scale,
                count=x.size,
                output_bytes=y.dtype.bytes,
                zero_point=q.zero_point,
                clamp_min=low,
                clamp_max=high,
            )
        if x.dtype in BYTES and y.dtype in BYTES:
            table = rescale_table(view, ratio(quantization(view, x), q))
            return lookup_params(table, size=x.size, output=y.dtype)
        return rescaling_params(view, x, y)

    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x = inputs[0]
        if isinstance(params, QuantizeFloatParams):
            return (_run_float(params, x),)
        if isinstance(params, LookupInt8Params):
            return (run_lookup(params, x),)
        return (run_requantize(params, x),)

    def call(self, view: NodeView, params: Any) -> Call:
        if isinstance(params, QuantizeFloatParams):
            return Call(kernel="quantize_float", params=params)
        if isinstance(params, LookupInt8Params):
            return Call(kernel="lookup_int8", params=params, in_place=(0,))
        return Call(kernel="rescale", params=params, in_place=in_place(params))

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        if isinstance(params, LookupInt8Params):
            least, most = lookup_bounds(params, low[0], high[0])
            return (least,), (most,)
        if isinstance(params, RequantizeParams):
            least, most = requantize_bounds(params, low[0], high[0])
            return (least,), (most,)
        return super().bounds(view, params, low, high)

    def channel_sources(self, view: NodeView) -> Array | None:
        return np.arange(view.input(0).shape[-1]) if view.input(0).shape else None

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        return QuantizeAttributes(dtype=view.outputs[0].dtype)


OPERATOR = Quantize()


def _run_float(params: QuantizeFloatParams, x: Array) -> Array:
    """Division in float32 and rounding half away from zero; NaN counts as the lowest number."""
    with np.errstate(over="ignore", invalid="ignore"):
        steps = np.nan_to_num(x / np.float32(params.scale), nan=-1e6)
    rounded = round_half_away(np.clip(steps, -1e6, 1e6)) + params.zero_point
    dtype = np.int8 if params.output_bytes == 1 else np.int16
    return np.clip(rounded, params.clamp_min, params.clamp_max).astype(dtype)
