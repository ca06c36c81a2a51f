"""concatenation: tensors one after the other along an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Attributes, Tensor
from edgegen.codegen.ops.axes import normal_axis
from edgegen.codegen.ops.base import Call, NodeView, Operator, TensorType
from edgegen.codegen.ops.joining import JoinParams, join_params, run_join


@dataclass(frozen=True)
class ConcatenationAttributes(Attributes):
    axis: int = -1


class Concatenation(Operator):
    name = "concatenation"
    attributes = ConcatenationAttributes
    tflite = "CONCATENATION"
    tflite_options = "ConcatenationOptions"
    types = "int8, uint8, int16, int32, int64, float32, bool"
    constraints = "all of one type and one quantisation"
    monotone = True
    keeps_quantization = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        tensors = _tensors(view)
        first, axis = tensors[0], _axis(view)
        for other in tensors:
            if _without(other, axis) != _without(first, axis) or other.dtype is not first.dtype:
                raise view.error(
                    f"{first.describe()} and {other.describe()} differ in type or beside axis {axis}"
                )
        shape = list(first.shape)
        shape[axis] = sum(tensor.shape[axis] for tensor in tensors)
        return (TensorType(tuple(shape), first.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        given = [x for x in inputs if x is not None]
        vectors = max(len(x) for x in given)
        wide = [np.broadcast_to(x, (vectors, *x.shape[1:])) for x in given]
        return (np.concatenate(wide, axis=_axis(view) + 1),)

    def prepare(self, view: NodeView) -> JoinParams:
        y = view.outputs[0]
        for x in _tensors(view):
            if x.quantization != y.quantization or x.dtype is not y.dtype:
                raise view.error(
                    f"joins tensors of one quantisation, but {x.describe()} has {_said(x)} and "
                    f"{y.describe()} {_said(y)}; requantise the input first"
                )
        axis = _axis(view)
        return join_params(
            [x.shape[axis:] for x in _tensors(view)], outer=y.shape[:axis], output=y.shape, dtype=y.dtype
        )

    def run_int(self, params: JoinParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (run_join(params, inputs),)

    def call(self, view: NodeView, params: JoinParams) -> Call:
        return Call(kernel="concatenation", params=params, inputs=tuple(range(len(view.inputs))))

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is None:
            raise view.error("has no options, so its axis is unknown")
        if options.FusedActivationFunction():
            raise view.error("has a fused activation, which TensorFlow Lite Micro does not take either")
        return ConcatenationAttributes(axis=options.Axis())

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        assert isinstance(view.node.attributes, ConcatenationAttributes)
        return {"Axis": view.node.attributes.axis}


OPERATOR = Concatenation()


def _tensors(view: NodeView) -> list[Tensor]:
    if not view.inputs:
        raise view.error("takes at least one input")
    return [view.input(position) for position in range(len(view.inputs))]


def _axis(view: NodeView) -> int:
    attributes = view.node.attributes
    assert isinstance(attributes, ConcatenationAttributes)
    return normal_axis(view, attributes.axis, len(view.input(0).shape))


def _without(tensor: Tensor, axis: int) -> tuple[int, ...]:
    return (*tensor.shape[:axis], -1, *tensor.shape[axis + 1 :])


def _said(tensor: Tensor) -> str:
    q = tensor.quantization
    return "none" if q is None else f"scale {q.scale:.9g}, zero point {q.zero_point}"
