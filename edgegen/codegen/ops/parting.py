"""What split, split_v and unpack share: parts of one tensor along an axis."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from edgegen.codegen.graph import Array, Tensor
from edgegen.codegen.ops.base import Call, NodeView, Operator, TensorType
from edgegen.codegen.ops.joining import PartParams, part_params, run_part
from edgegen.codegen.ops.movement import same_types


class Parting(Operator):
    types = "int8, uint8, int16, int32, int64, float32, bool"
    monotone = True
    keeps_quantization = True
    keeps_axis: ClassVar[bool] = True
    """Whether the parts have the axis that the tensor is parted along."""
    data: ClassVar[int] = 0
    """The position of the tensor among the inputs."""

    @abstractmethod
    def axis(self, view: NodeView) -> int:
        """Where the parts are, from 0 on."""

    @abstractmethod
    def sizes(self, view: NodeView) -> tuple[int, ...]:
        """How much of the axis each part takes; together all of it."""

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, axis = view.input(self.data), self.axis(view)
        kept = [(size,) if self.keeps_axis else () for size in self.sizes(view)]
        return tuple(TensorType((*x.shape[:axis], *own, *x.shape[axis + 1 :]), x.dtype) for own in kept)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x, axis = inputs[self.data], self.axis(view) + 1
        assert x is not None
        parts = np.split(x, np.cumsum(self.sizes(view))[:-1], axis=axis)
        return tuple(parts if self.keeps_axis else (part.squeeze(axis) for part in parts))

    def prepare(self, view: NodeView) -> PartParams:
        x, axis = view.input(self.data), self.axis(view)
        same_types(view, x)
        inner = [(size, *x.shape[axis + 1 :]) for size in self.sizes(view)]
        shapes = tuple(y.shape for y in view.outputs)
        return part_params(inner, outer=x.shape[:axis], outputs=shapes, dtype=x.dtype)

    def run_int(self, params: PartParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return run_part(params, inputs[0])

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="split", params=params, inputs=(self.data,))


def even_parts(view: NodeView, x: Tensor, axis: int, count: int) -> tuple[int, ...]:
    """`count` equal sizes."""
    if count < 1 or x.shape[axis] % count:
        raise view.error(f"axis {axis} of {x.describe()} does not divide into {count} equal parts")
    return (x.shape[axis] // count,) * count
