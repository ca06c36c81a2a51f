"""relu6: the input clamped to [0, 6]; the quantised numbers are not rescaled."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import Int64
from edgegen.codegen.graph import DType
from edgegen.codegen.ops.base import NodeView, Params
from edgegen.codegen.ops.common import RANGES, quantization
from edgegen.codegen.ops.relu import ClampedRescale
from edgegen.codegen.ops.requantizing import clamping_params
from edgegen.codegen.ops.tables import codes, round_half_away


class Relu6(ClampedRescale):
    """TFLM clamps between the quantised 0 and 6 of the input and ignores the output's quantisation."""

    name = "relu6"
    tflite = "RELU6"
    activation = "relu6"
    constraints = "input and output of one quantisation"
    keeps_quantization = True

    def table(self, view: NodeView) -> Int64:
        zero, six = _bounds(view)
        return np.minimum(np.maximum(codes(DType.INT8), zero), six)

    def prepare(self, view: NodeView) -> Params:
        x, _ = self.check_types(view)
        if x.dtype is DType.INT8:
            return super().prepare(view)
        return clamping_params(x, *_bounds(view))


def _bounds(view: NodeView) -> tuple[int, int]:
    x = view.input(0)
    q = quantization(view, x)
    low, high = RANGES[x.dtype]
    with np.errstate(over="ignore"):
        steps: Any = np.float32(6.0) / np.float32(q.scale)
    six = int(round_half_away(min(steps, np.float32(2**30)))) + q.zero_point
    return q.zero_point, min(max(six, low), high)


OPERATOR = Relu6()
