"""Scales and zero points of activations."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Quantization

SMALLEST = 2.0**-60
"""Ranges below this are taken for nothing but zero."""


def activation_quantization(low: float, high: float) -> Quantization:
    """int8 over a range that is first widened to hold 0, so that 0 has a number of its own.

    A range of nothing but 0 gets the scale 1/128. Scales are float32 values.
    """
    low, high = min(low, 0.0), max(high, 0.0)
    if high - low < SMALLEST:
        return Quantization((2.0**-7,), (0,))
    scale = float(np.float32((high - low) / 255.0))
    zero_point = int(np.clip(np.round(-128.0 - low / scale), -128, 127))
    return Quantization((scale,), (zero_point,))
