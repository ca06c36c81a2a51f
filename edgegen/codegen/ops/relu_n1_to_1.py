"""relu_n1_to_1: the input clamped to [-1, 1], with a change of scale.

TensorFlow Lite Micro has no kernel of it; the arithmetic is that of its RELU with both bounds.
"""

from __future__ import annotations

from edgegen.codegen.ops.relu import ClampedRescale


class ReluN1To1(ClampedRescale):
    name = "relu_n1_to_1"
    tflite = "RELU_N1_TO_1"
    constraints = "not in TensorFlow Lite Micro as integers"
    activation = "relu_n1_to_1"


OPERATOR = ReluN1To1()
