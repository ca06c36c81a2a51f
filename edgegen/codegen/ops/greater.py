"""greater: whether the first number is greater than the second, element by element."""

from __future__ import annotations

from edgegen.codegen.ops.comparisons import Comparison


class Greater(Comparison):
    name = "greater"
    tflite = "GREATER"
    tflite_options = "GreaterOptions"
    relation = 2


OPERATOR = Greater()
