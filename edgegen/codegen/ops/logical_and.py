"""logical_and: whether both of two booleans are true, element by element."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.connectives import Connective


class LogicalAnd(Connective):
    name = "logical_and"
    tflite = "LOGICAL_AND"
    tflite_options = "LogicalAndOptions"
    sign = -1

    def combine(self, first: Array, second: Array) -> Array:
        return np.logical_and(first, second)


OPERATOR = LogicalAnd()
