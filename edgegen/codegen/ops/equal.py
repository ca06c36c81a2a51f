"""equal: whether the first number is equal to the second, element by element."""

from __future__ import annotations

from edgegen.codegen.ops.comparisons import Comparison


class Equal(Comparison):
    name = "equal"
    tflite = "EQUAL"
    tflite_options = "EqualOptions"
    relation = 0


OPERATOR = Equal()
