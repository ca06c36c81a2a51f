"""mul: elementwise product with broadcasting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import quantize_multiplier, requantize, wrap32
from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import NodeView, Params, reference_only
from edgegen.codegen.ops.broadcast import aligned, plan_broadcast
from edgegen.codegen.ops.common import (
    ACTIVATIONS,
    activation_range,
    apply_activation,
    fused_activation,
    quantization,
)
from edgegen.codegen.ops.pairs import PairOperator


@dataclass(frozen=True)
class MulAttributes(Attributes):
    activation: str = "none"


@dataclass(frozen=True, eq=False)
class MulParams(Params):
    """Loops of the broadcast, offsets of both operands, and one rescaling."""

    size: tuple[int, ...]
    first_step: tuple[int, ...]
    second_step: tuple[int, ...]
    first_offset: int
    second_offset: int
    multiplier: int
    shift: int
    output_offset: int
    clamp_min: int
    clamp_max: int
    rank: int = reference_only()


class Mul(PairOperator):
    name = "mul"
    attributes = MulAttributes
    tflite = "MUL"
    tflite_options = "MulOptions"
    types = "int8, int16"
    accepts = (DType.INT8, DType.INT16)
    kernel = "mul"

    def combine(self, first: Array, second: Array) -> Array:
        product: Array = first * second
        return product

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        (product,) = super().run_float(view, inputs)
        return (apply_activation(_attributes(view).activation, product).astype(product.dtype),)

    def prepare(self, view: NodeView) -> MulParams:
        self.check_types(view)
        first, second, y = view.input(0), view.input(1), view.outputs[0]
        q1, q2, qy = quantization(view, first), quantization(view, second), quantization(view, y)
        multiplier, shift = quantize_multiplier(q1.scale * q2.scale / qy.scale)
        low, high = activation_range(_attributes(view).activation, y, view)
        loops = plan_broadcast(first.shape, second.shape)
        return MulParams(
            size=loops.size,
            first_step=loops.first_step,
            second_step=loops.second_step,
            first_offset=-q1.zero_point,
            second_offset=-q2.zero_point,
            multiplier=multiplier,
            shift=shift,
            output_offset=qy.zero_point,
            clamp_min=low,
            clamp_max=high,
            rank=len(y.shape),
        )

    def run_int(self, params: MulParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        first, second = (aligned(x, p.rank).astype(np.int64) for x in inputs)
        product = wrap32((first + p.first_offset) * (second + p.second_offset))
        out = wrap32(requantize(product, p.multiplier, p.shift) + p.output_offset)
        return (np.clip(out, p.clamp_min, p.clamp_max).astype(inputs[0].dtype),)

    def call(self, view: NodeView, params: Any) -> Any:
        made = super().call(view, params)
        if view.input(0).dtype is DType.INT16:
            return type(made)("mul_int16", params, inputs=made.inputs, in_place=made.in_place)
        return made

    def read_options(self, options: Any, view: NodeView) -> MulAttributes:
        code = 0 if options is None else options.FusedActivationFunction()
        return MulAttributes(activation=fused_activation(view, code))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"FusedActivationFunction": ACTIVATIONS.index(_attributes(view).activation)}


OPERATOR = Mul()


def _attributes(view: NodeView) -> MulAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, MulAttributes)
    return attributes
