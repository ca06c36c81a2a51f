"""sum: the total over some axes."""

from __future__ import annotations

from collections.abc import Sequence

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.averages import AverageOperator
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.reductions import axes_of


class Sum(AverageOperator):
    name = "sum"
    tflite = "SUM"

    def rescale(self, multiplier: int, shift: int, count: int) -> tuple[int, int]:
        return multiplier, shift

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        out = x.sum(axis=tuple(axis + 1 for axis in axes_of(view)))
        return (out.reshape(x.shape[0], *self.infer(view)[0].shape).astype(x.dtype),)


OPERATOR = Sum()
