"""What addition and subtraction share: three double-rounded rescalings around a left-shifted sum."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from edgegen.codegen.arithmetic import quantize_multiplier, requantize
from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, reference_only
from edgegen.codegen.ops.broadcast import aligned, broadcast_shape, plan_broadcast
from edgegen.codegen.ops.common import (
    ACTIVATIONS,
    activation_range,
    apply_activation,
    fused_activation,
    quantization,
)


@dataclass(frozen=True)
class SumAttributes(Attributes):
    activation: str = "none"


@dataclass(frozen=True, eq=False)
class SumParams(Params):
    """Offsets, multipliers and shifts of both operands and of the output; loops of the broadcast."""

    size: tuple[int, ...]
    first_step: tuple[int, ...]
    second_step: tuple[int, ...]
    first_offset: int
    first_multiplier: int
    first_shift: int
    second_offset: int
    second_multiplier: int
    second_shift: int
    sign: int
    left_shift: int
    output_offset: int
    output_multiplier: int
    output_shift: int
    clamp_min: int
    clamp_max: int
    rank: int = reference_only()


class SumOperator(Operator):
    attributes = SumAttributes
    types = "int8, int16"
    constraints = "operands broadcast, up to 6 dimensions"
    sign: ClassVar[int] = 1

    @abstractmethod
    def combine(self, first: Array, second: Array) -> Array:
        """The float meaning."""

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        return (TensorType(broadcast_shape(view), view.input(0).dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        first, second = inputs[0], inputs[1]
        assert first is not None and second is not None
        rank = len(view.outputs[0].shape)
        out = self.combine(aligned(first, rank), aligned(second, rank))
        return (apply_activation(_attributes(view).activation, out).astype(first.dtype),)

    def prepare(self, view: NodeView) -> SumParams:
        first, second, y = view.input(0), view.input(1), view.outputs[0]
        if first.dtype not in (DType.INT8, DType.INT16) or {second.dtype, y.dtype} != {first.dtype}:
            raise view.error(
                f"takes int8 or int16 throughout, got {first.describe()}, {second.describe()}, {y.describe()}"
            )
        q1, q2, qy = quantization(view, first), quantization(view, second), quantization(view, y)
        left_shift = 15 if first.dtype is DType.INT16 else 20
        twice_max = 2.0 * max(q1.scale, q2.scale)
        real_output = twice_max / ((1 << left_shift) * qy.scale)
        if not 0.0 < real_output < 1.0:
            raise view.error(
                f"an output scale of {qy.scale:g} is too small for input scales {q1.scale:g} and {q2.scale:g}"
            )
        multipliers = [
            quantize_multiplier(r) for r in (q1.scale / twice_max, q2.scale / twice_max, real_output)
        ]
        low, high = activation_range(_attributes(view).activation, y, view)
        loops = plan_broadcast(first.shape, second.shape)
        return SumParams(
            size=loops.size,
            first_step=loops.first_step,
            second_step=loops.second_step,
            first_offset=-q1.zero_point,
            first_multiplier=multipliers[0][0],
            first_shift=multipliers[0][1],
            second_offset=-q2.zero_point,
            second_multiplier=multipliers[1][0],
            second_shift=multipliers[1][1],
            sign=self.sign,
            left_shift=left_shift,
            output_offset=qy.zero_point,
            output_multiplier=multipliers[2][0],
            output_shift=multipliers[2][1],
            clamp_min=low,
            clamp_max=high,
            rank=len(y.shape),
        )

    def run_int(self, params: SumParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        first, second = (aligned(x, p.rank).astype(np.int64) for x in inputs)
        first = requantize((first + p.first_offset) << p.left_shift, p.first_multiplier, p.first_shift)
        second = requantize((second + p.second_offset) << p.left_shift, p.second_multiplier, p.second_shift)
        total = first + p.sign * second
        out = requantize(total, p.output_multiplier, p.output_shift) + p.output_offset
        return (np.clip(out, p.clamp_min, p.clamp_max).astype(inputs[0].dtype),)

    def channel_sources(self, view: NodeView) -> Array | None:
        return np.arange(view.outputs[0].shape[-1]) if view.outputs[0].shape else None

    def call(self, view: NodeView, params: SumParams) -> Call:
        kernel = "add" if view.input(0).dtype is DType.INT8 else "add_int16"
        same = tuple(position for position in (0, 1) if view.input(position).shape == view.outputs[0].shape)
        return Call(kernel=kernel, params=params, inputs=(0, 1), in_place=same)

    def read_options(self, options: Any, view: NodeView) -> SumAttributes:
        code = 0 if options is None else options.FusedActivationFunction()
        return SumAttributes(activation=fused_activation(view, code))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"FusedActivationFunction": ACTIVATIONS.index(_attributes(view).activation)}


def _attributes(view: NodeView) -> SumAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, SumAttributes)
    return attributes
