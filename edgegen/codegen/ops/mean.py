"""mean: the average over some axes."""

from __future__ import annotations

from collections.abc import Sequence

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.averages import AverageOperator
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.reductions import axes_of


class Mean(AverageOperator):
    name = "mean"
    tflite = "MEAN"

    def rescale(self, multiplier: int, shift: int, count: int) -> tuple[int, int]:
        """Divides by the count inside the multiplier, as TFLM's QuantizedMeanOrSum does."""
        left = min(count.bit_length() - 1, 32, 31 + shift)
        return (multiplier << left) // count, shift - left

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        out = x.mean(axis=tuple(axis + 1 for axis in axes_of(view)))
        return (out.reshape(x.shape[0], *self.infer(view)[0].shape).astype(x.dtype),)


OPERATOR = Mean()
