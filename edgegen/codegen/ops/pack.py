"""pack: tensors of one shape side by side along a new axis."""

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
class PackAttributes(Attributes):
    """The position of the new axis; negative ones count from the end of the output."""

    axis: int = 0


class Pack(Operator):
    name = "pack"
    attributes = PackAttributes
    tflite = "PACK"
    tflite_options = "PackOptions"
    types = "int8, uint8, int16, int32, int64, float32, bool"
    constraints = "all of one shape, type and quantisation"
    monotone = True
    keeps_quantization = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        tensors = _tensors(view)
        first, axis = tensors[0], _axis(view)
        for other in tensors:
            if other.shape != first.shape or other.dtype is not first.dtype:
                raise view.error(f"{first.describe()} and {other.describe()} differ in shape or type")
        shape = (*first.shape[:axis], len(tensors), *first.shape[axis:])
        return (TensorType(shape, first.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        given = [x for x in inputs if x is not None]
        vectors = max(len(x) for x in given)
        wide = [np.broadcast_to(x, (vectors, *x.shape[1:])) for x in given]
        return (np.stack(wide, axis=_axis(view) + 1),)

    def prepare(self, view: NodeView) -> JoinParams:
        y, axis = view.outputs[0], _axis(view)
        tensors = _tensors(view)
        for x in tensors:
            if x.quantization != y.quantization or x.dtype is not y.dtype:
                raise view.error(
                    f"packs tensors of one quantisation, but {x.describe()} and {y.describe()} differ; "
                    "requantise the input first"
                )
        inner = [x.shape[axis:] for x in tensors]
        return join_params(inner, outer=y.shape[:axis], output=y.shape, dtype=y.dtype)

    def run_int(self, params: JoinParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (run_join(params, inputs),)

    def call(self, view: NodeView, params: JoinParams) -> Call:
        return Call(kernel="concatenation", params=params, inputs=tuple(range(len(view.inputs))))

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is None or options.ValuesCount() != len(view.inputs):
            raise view.error(f"its options do not speak of {len(view.inputs)} inputs")
        return PackAttributes(axis=options.Axis())

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        assert isinstance(view.node.attributes, PackAttributes)
        return {"ValuesCount": len(view.inputs), "Axis": view.node.attributes.axis}


OPERATOR = Pack()


def _tensors(view: NodeView) -> list[Tensor]:
    if not view.inputs:
        raise view.error("takes at least one input")
    return [view.input(position) for position in range(len(view.inputs))]


def _axis(view: NodeView) -> int:
    attributes = view.node.attributes
    assert isinstance(attributes, PackAttributes)
    return normal_axis(view, attributes.axis, len(view.input(0).shape) + 1)
