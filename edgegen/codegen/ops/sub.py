"""sub: elementwise difference with broadcasting."""

from __future__ import annotations

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.sums import SumOperator


class Sub(SumOperator):
    name = "sub"
    tflite = "SUB"
    tflite_options = "SubOptions"
    sign = -1

    def combine(self, first: Array, second: Array) -> Array:
        difference: Array = first - second
        return difference


OPERATOR = Sub()
