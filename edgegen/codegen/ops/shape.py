"""shape: the sizes of a tensor's axes, which are known at build time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType


@dataclass(frozen=True, eq=False)
class ConstantParams(Params):
    """`bytes` bytes of `data`, whatever the input."""

    data: Array
    bytes: int


class Shape(Operator):
    name = "shape"
    tflite = "SHAPE"
    tflite_options = "ShapeOptions"
    types = "any to int32"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        return (TensorType((len(view.input(0).shape),), DType.INT32),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        return (np.array([view.input(0).shape], dtype=np.int32),)

    def prepare(self, view: NodeView) -> ConstantParams:
        if view.outputs[0].dtype is not DType.INT32:
            raise view.error(f"gives int32, got {view.outputs[0].describe()}")
        data = np.array(view.input(0).shape, dtype=np.int32).view(np.uint8)
        return ConstantParams(data=data, bytes=data.nbytes)

    def run_int(self, params: ConstantParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (params.data.view(np.int32)[np.newaxis],)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="constant", params=params, inputs=())

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        return self.run_int(params, low), self.run_int(params, high)

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is not None and options.OutType() != 2:
            raise view.error("gives int32; convert the model with out_type=int32")
        return Attributes()

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"OutType": 2}


OPERATOR = Shape()
