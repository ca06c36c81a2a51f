"""arg_max: the first position of the greatest number along an axis."""

from __future__ import annotations

from edgegen.codegen.ops.arg_extremes import ArgExtreme


class ArgMax(ArgExtreme):
    name = "arg_max"
    tflite = "ARG_MAX"
    tflite_options = "ArgMaxOptions"
    sign = 1


OPERATOR = ArgMax()
