"""logical_or: whether one of two booleans is true, element by element."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.connectives import Connective


class LogicalOr(Connective):
    name = "logical_or"
    tflite = "LOGICAL_OR"
    tflite_options = "LogicalOrOptions"
    sign = 1

    def combine(self, first: Array, second: Array) -> Array:
        return np.logical_or(first, second)


OPERATOR = LogicalOr()
