"""less_equal: whether the first number is less than or equal to the second, element by element."""

from __future__ import annotations

from edgegen.codegen.ops.comparisons import Comparison


class LessEqual(Comparison):
    name = "less_equal"
    tflite = "LESS_EQUAL"
    tflite_options = "LessEqualOptions"
    relation = 5


OPERATOR = LessEqual()
