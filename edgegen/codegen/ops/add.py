"""add: elementwise sum with broadcasting."""

from __future__ import annotations

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.sums import SumOperator


class Add(SumOperator):
    name = "add"
    tflite = "ADD"
    tflite_options = "AddOptions"
    monotone = True

    def combine(self, first: Array, second: Array) -> Array:
        total: Array = first + second
        return total


OPERATOR = Add()
