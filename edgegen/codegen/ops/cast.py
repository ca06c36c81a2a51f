"""cast: the same numbers in another type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType

CODES = {
    DType.FLOAT32: 0,
    DType.INT8: 1,
    DType.UINT8: 2,
    DType.INT16: 3,
    DType.INT32: 4,
    DType.BOOL: 5,
}
"""What the kernel calls each type."""

_TFLITE = {
    DType.FLOAT32: 0,
    DType.INT32: 2,
    DType.UINT8: 3,
    DType.INT64: 4,
    DType.BOOL: 6,
    DType.INT16: 7,
    DType.INT8: 9,
}
"""Numbers in `tflite.TensorType`."""


@dataclass(frozen=True)
class CastAttributes(Attributes):
    dtype: DType = DType.INT32


@dataclass(frozen=True, eq=False)
class CastParams(Params):
    """Types as in `CODES`. Floats are truncated to int32, saturated; integers wrap to narrower types."""

    count: int
    source: int
    target: int


class Cast(Operator):
    name = "cast"
    attributes = CastAttributes
    tflite = "CAST"
    tflite_options = "CastOptions"
    types = "float32, int8, uint8, int16, int32, bool"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        attributes = view.node.attributes
        assert isinstance(attributes, CastAttributes)
        return (TensorType(view.input(0).shape, attributes.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        assert inputs[0] is not None
        return (inputs[0],)

    def prepare(self, view: NodeView) -> CastParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype not in CODES or y.dtype not in CODES:
            raise view.error(f"takes and gives {self.types}, got {x.describe()} and {y.describe()}")
        return CastParams(count=x.size, source=CODES[x.dtype], target=CODES[y.dtype])

    def run_int(self, params: CastParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        target = next(dtype for dtype, code in CODES.items() if code == params.target)
        x = inputs[0]
        if target in (DType.BOOL, DType.FLOAT32):
            return (x.astype(target.numpy),)
        if x.dtype == np.float32:
            finite = np.nan_to_num(x.astype(np.float64), nan=-(2.0**31), posinf=2.0**31, neginf=-(2.0**31))
            x = np.clip(np.trunc(finite), -(2**31), 2**31 - 1).astype(np.int32)
        return (x.astype(target.numpy),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="cast", params=params)

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        x, y = view.input(0).dtype, view.outputs[0].dtype
        if y is DType.FLOAT32 or (y is not DType.BOOL and np.can_cast(x.numpy, y.numpy)):
            return self.run_int(params, low), self.run_int(params, high)
        if y is not DType.BOOL:
            return super().bounds(view, params, low, high)
        shape = (1, *view.outputs[0].shape)
        return (np.zeros(shape, bool),), (np.ones(shape, bool),)

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        return CastAttributes(dtype=view.outputs[0].dtype)

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {
            "InDataType": _TFLITE[view.input(0).dtype],
            "OutDataType": _TFLITE[view.outputs[0].dtype],
        }


OPERATOR = Cast()
