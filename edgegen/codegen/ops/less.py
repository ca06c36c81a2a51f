"""less: whether the first number is less than the second, element by element."""

from __future__ import annotations

from edgegen.codegen.ops.comparisons import Comparison


class Less(Comparison):
    name = "less"
    tflite = "LESS"
    tflite_options = "LessOptions"
    relation = 4


OPERATOR = Less()
