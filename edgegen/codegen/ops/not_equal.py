"""not_equal: whether the first number is not equal to the second, element by element."""

from __future__ import annotations

from edgegen.codegen.ops.comparisons import Comparison


class NotEqual(Comparison):
    name = "not_equal"
    tflite = "NOT_EQUAL"
    tflite_options = "NotEqualOptions"
    relation = 1


OPERATOR = NotEqual()
