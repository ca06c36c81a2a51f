"""What arg_max and arg_min share: the first position of the extreme along an axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import numpy as np

from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.axes import constant_axis
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, reference_only

_TYPES = {2: DType.INT32, 4: DType.INT64}
"""By number in `tflite.TensorType`."""


@dataclass(frozen=True, eq=False)
class ArgExtremeParams(Params):
    """input [outer][size][inner]; `sign` is 1 for the maximum and -1 for the minimum."""

    outer: int
    size: int
    inner: int
    element_bytes: int
    sign: int
    axis: int = reference_only()


class ArgExtreme(Operator):
    """Input 1 is the constant axis; the output has the other axes and type int32."""

    types = "int8, int16, int32 to int32"
    constraints = "the axis constant"
    sign: ClassVar[int]

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        shape = view.input(0).shape
        axis = constant_axis(view, 1, len(shape))
        return (TensorType((*shape[:axis], *shape[axis + 1 :]), DType.INT32),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        assert inputs[0] is not None
        axis = constant_axis(view, 1, len(view.input(0).shape)) + 1
        return (_first(inputs[0], axis, self.sign),)

    def prepare(self, view: NodeView) -> ArgExtremeParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype not in (DType.INT8, DType.INT16, DType.INT32) or y.dtype is not DType.INT32:
            raise view.error(f"takes {self.types}, got {x.describe()} and {y.describe()}")
        axis = constant_axis(view, 1, len(x.shape))
        return ArgExtremeParams(
            outer=prod(x.shape[:axis]),
            size=x.shape[axis],
            inner=prod(x.shape[axis + 1 :]),
            element_bytes=x.dtype.bytes,
            sign=self.sign,
            axis=axis,
        )

    def run_int(self, params: ArgExtremeParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (_first(inputs[0], params.axis + 1, params.sign),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="arg_extreme", params=params)

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        shape = (1, *view.outputs[0].shape)
        return (np.zeros(shape, np.int32),), (np.full(shape, params.size - 1, np.int32),)

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        wanted = _TYPES.get(options.OutputType()) if options is not None else DType.INT32
        if wanted is not DType.INT32:
            raise view.error("gives int32; convert the model with output_type=int32")
        return Attributes()

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"OutputType": 2}


def _first(x: Array, axis: int, sign: int) -> Array:
    found = np.argmax(x, axis=axis) if sign > 0 else np.argmin(x, axis=axis)
    return np.asarray(found, dtype=np.int32)
