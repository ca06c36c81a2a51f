"""maximum: the greater of two numbers, element by element."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.extremes import Extreme


class Maximum(Extreme):
    name = "maximum"
    tflite = "MAXIMUM"
    tflite_options = "MaximumMinimumOptions"
    sign = 1

    def combine(self, first: Array, second: Array) -> Array:
        return np.maximum(first, second)


OPERATOR = Maximum()
