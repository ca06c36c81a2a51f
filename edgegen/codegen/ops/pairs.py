"""What elementwise operators of two broadcast operands share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, TensorType
from edgegen.codegen.ops.broadcast import aligned, broadcast_shape


class PairOperator(Operator):
    """An operator of two inputs of one type that broadcast."""

    constraints = "operands broadcast, up to 6 dimensions"
    accepts: ClassVar[tuple[DType, ...]] = (DType.INT8,)
    gives: ClassVar[DType | None] = None
    """The output's type, where it is not that of the inputs."""
    kernel: ClassVar[str]

    @abstractmethod
    def combine(self, first: Array, second: Array) -> Array:
        """The function on floats, or on booleans."""

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        return (TensorType(broadcast_shape(view), self.gives or view.input(0).dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        first, second = inputs[0], inputs[1]
        assert first is not None and second is not None
        rank = len(view.outputs[0].shape)
        out = self.combine(aligned(first, rank), aligned(second, rank))
        return (out.astype(bool if self.gives is DType.BOOL else first.dtype),)

    def check_types(self, view: NodeView) -> DType:
        """The type of both inputs; the output must be what `infer` says."""
        first, second, y = view.input(0), view.input(1), view.outputs[0]
        wanted = self.gives or first.dtype
        if first.dtype not in self.accepts or second.dtype is not first.dtype or y.dtype is not wanted:
            raise view.error(
                f"takes {self.types} for both inputs, got {first.describe()}, {second.describe()} "
                f"and {y.describe()}"
            )
        return first.dtype

    def call(self, view: NodeView, params: Any) -> Call:
        y = view.outputs[0]
        same = tuple(p for p in (0, 1) if view.input(p).shape == y.shape and view.input(p).dtype is y.dtype)
        return Call(kernel=self.kernel, params=params, inputs=(0, 1), in_place=same)

    def channel_sources(self, view: NodeView) -> Array | None:
        channels = view.outputs[0].shape[-1:]
        computed = [view.input(p) for p in (0, 1) if not view.input(p).constant]
        if not channels or any(tensor.shape[-1:] != channels for tensor in computed):
            return None
        return np.arange(channels[0])
