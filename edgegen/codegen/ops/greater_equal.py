"""greater_equal: whether the first number is greater than or equal to the second, element by element."""

from __future__ import annotations

from edgegen.codegen.ops.comparisons import Comparison


class GreaterEqual(Comparison):
    name = "greater_equal"
    tflite = "GREATER_EQUAL"
    tflite_options = "GreaterEqualOptions"
    relation = 3


OPERATOR = GreaterEqual()
