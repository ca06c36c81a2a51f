"""arg_min: the first position of the least number along an axis."""

from __future__ import annotations

from edgegen.codegen.ops.arg_extremes import ArgExtreme


class ArgMin(ArgExtreme):
    name = "arg_min"
    tflite = "ARG_MIN"
    tflite_options = "ArgMinOptions"
    sign = -1


OPERATOR = ArgMin()
