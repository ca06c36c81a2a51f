"""cumsum: running sums along an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import quantize_multiplier, requantize, wrap32
from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.axes import constant_axis
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType
from edgegen.codegen.ops.common import RANGES, quantization

LEFT_SHIFT = 20


@dataclass(frozen=True)
class CumsumAttributes(Attributes):
    """`exclusive` leaves each element itself out; `reverse` sums from the end."""

    exclusive: bool = False
    reverse: bool = False


@dataclass(frozen=True, eq=False)
class CumsumParams(Params):
    """input [outer][size][inner]; numbers are shifted left by 20 bits and halved before they are summed."""

    outer: int
    size: int
    inner: int
    exclusive: int
    reverse: int
    input_offset: int
    multiplier: int
    shift: int
    output_offset: int
    clamp_min: int
    clamp_max: int


class Cumsum(Operator):
    """Input 1 is the constant axis. As in TFLM, sums start from the negated zero point, not from zero."""

    name = "cumsum"
    attributes = CumsumAttributes
    tflite = "CUMSUM"
    tflite_options = "CumsumOptions"
    constraints = "the axis constant"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        constant_axis(view, 1, len(view.input(0).shape))
        return (TensorType(view.input(0).shape, view.input(0).dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        attributes = _attributes(view)
        axis = constant_axis(view, 1, len(view.input(0).shape)) + 1
        ordered = np.flip(x, axis) if attributes.reverse else x
        total = np.cumsum(ordered, axis=axis, dtype=x.dtype)
        total = total - ordered if attributes.exclusive else total
        return (np.flip(total, axis) if attributes.reverse else total,)

    def prepare(self, view: NodeView) -> CumsumParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype is not DType.INT8 or y.dtype is not DType.INT8:
            raise view.error(f"takes and gives int8, got {x.describe()} and {y.describe()}")
        qx, qy = quantization(view, x), quantization(view, y)
        multiplier, shift = quantize_multiplier(2.0 * qx.scale / ((1 << LEFT_SHIFT) * qy.scale))
        if shift > 0:
            raise view.error(
                f"an output scale of {qy.scale:g} is too small for an input scale of {qx.scale:g}"
            )
        axis = constant_axis(view, 1, len(x.shape))
        attributes = _attributes(view)
        low, high = RANGES[y.dtype]
        return CumsumParams(
            outer=prod(x.shape[:axis]),
            size=x.shape[axis],
            inner=prod(x.shape[axis + 1 :]),
            exclusive=int(attributes.exclusive),
            reverse=int(attributes.reverse),
            input_offset=-qx.zero_point,
            multiplier=multiplier,
            shift=shift,
            output_offset=qy.zero_point,
            clamp_min=low,
            clamp_max=high,
        )

    def run_int(self, params: CumsumParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        x = inputs[0].reshape(len(inputs[0]), p.outer, p.size, p.inner).astype(np.int64)
        # half of a number shifted by 20 bits is exact
        halves = (x + p.input_offset) << (LEFT_SHIFT - 1)
        halves = halves[:, :, ::-1] if p.reverse else halves
        sums = np.cumsum(halves, axis=2) + (p.input_offset << (LEFT_SHIFT - 1))
        sums = sums - halves if p.exclusive else sums
        sums = sums.astype(np.int32)
        out = wrap32(requantize(sums, p.multiplier, p.shift) + p.output_offset)
        out = out[:, :, ::-1] if p.reverse else out
        return (np.clip(out, p.clamp_min, p.clamp_max).astype(np.int8).reshape(inputs[0].shape),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="cumsum", params=params, in_place=(0,))

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is None:
            return CumsumAttributes()
        return CumsumAttributes(exclusive=bool(options.Exclusive()), reverse=bool(options.Reverse()))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        attributes = _attributes(view)
        return {"Exclusive": attributes.exclusive, "Reverse": attributes.reverse}


OPERATOR = Cumsum()


def _attributes(view: NodeView) -> CumsumAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, CumsumAttributes)
    return attributes
