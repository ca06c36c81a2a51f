"""leaky_relu: x where positive, alpha * x elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import Int64, quantize_multiplier, requantize, wrap32
from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import Call, NodeView, Params
from edgegen.codegen.ops.common import quantization
from edgegen.codegen.ops.tables import Lookup, codes


@dataclass(frozen=True)
class LeakyReluAttributes(Attributes):
    alpha: float = 0.2


@dataclass(frozen=True, eq=False)
class LeakyReluInt16Params(Params):
    """A multiplier and shift on each side of zero; `sign` is that of alpha."""

    count: int
    input_offset: int
    output_offset: int
    positive_multiplier: int
    positive_shift: int
    negative_multiplier: int
    negative_shift: int
    sign: int


class LeakyRelu(Lookup):
    name = "leaky_relu"
    attributes = LeakyReluAttributes
    tflite = "LEAKY_RELU"
    tflite_options = "LeakyReluOptions"
    types = "int8, int16"
    accepts = (DType.INT8, DType.INT16)

    def function(self, view: NodeView, x: Array) -> Array:
        return np.where(x > 0, x, x * np.float32(_alpha(view)))

    def table(self, view: NodeView) -> Int64:
        return _apply(_params(view), codes(DType.INT8))

    def prepare(self, view: NodeView) -> Params:
        x, _ = self.check_types(view)
        return super().prepare(view) if x.dtype is DType.INT8 else _params(view)

    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        if isinstance(params, LeakyReluInt16Params):
            return (np.clip(_apply(params, inputs[0]), -32768, 32767).astype(np.int16),)
        return super().run_int(params, inputs)

    def call(self, view: NodeView, params: Any) -> Call:
        if isinstance(params, LeakyReluInt16Params):
            return Call(kernel="leaky_relu_int16", params=params, in_place=(0,))
        return super().call(view, params)

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        return LeakyReluAttributes(alpha=0.0 if options is None else float(options.Alpha()))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"Alpha": _alpha(view)}


OPERATOR = LeakyRelu()


def _alpha(view: NodeView) -> float:
    attributes = view.node.attributes
    assert isinstance(attributes, LeakyReluAttributes)
    return float(np.float32(attributes.alpha))


def _params(view: NodeView) -> LeakyReluInt16Params:
    x, y = quantization(view, view.input(0)), quantization(view, view.outputs[0])
    alpha = _alpha(view)
    negative, negative_shift = quantize_multiplier(x.scale * alpha / y.scale)
    positive, positive_shift = quantize_multiplier(x.scale / y.scale)
    return LeakyReluInt16Params(
        count=view.input(0).size,
        input_offset=-x.zero_point,
        output_offset=y.zero_point,
        positive_multiplier=positive,
        positive_shift=positive_shift,
        negative_multiplier=abs(negative),
        negative_shift=negative_shift,
        sign=-1 if negative < 0 else 1,
    )


def _apply(p: LeakyReluInt16Params, x: Array) -> Int64:
    value = x.astype(np.int64) + p.input_offset
    positive = requantize(value, p.positive_multiplier, p.positive_shift)
    negative = p.sign * requantize(value, p.negative_multiplier, p.negative_shift)
    return wrap32(p.output_offset + np.where(value >= 0, positive, negative))
