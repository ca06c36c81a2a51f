"""Observers: the range that an activation's quantisation covers, from the values seen in calibration."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from edgegen.codegen.graph import Array

Range = tuple[float, float]
Observer = Callable[[Array, float], Range]
MSE_STEPS = 60


def minmax(values: Array, percentile: float) -> Range:
    """Everything seen."""
    return float(values.min()), float(values.max())


def by_percentile(values: Array, percentile: float) -> Range:
    """All but the outermost (100 - percentile) per cent of each side."""
    low, high = np.percentile(values, [100.0 - percentile, percentile])
    return float(low), float(high)


def mse(values: Array, percentile: float) -> Range:
    """The clipping of the full range whose int8 rounding has the least mean squared error."""
    low, high = minmax(values, percentile)
    sample = values.reshape(-1)
    sample = sample[:: max(1, sample.size // 200_000)].astype(np.float64)
    best, least = (low, high), np.inf
    for step in range(MSE_STEPS):
        share = 1.0 - 0.9 * step / MSE_STEPS
        error = _error(sample, low * share, high * share)
        if error < least:
            best, least = (low * share, high * share), error
    return best


def _error(sample: Array, low: float, high: float) -> float:
    low, high = min(low, 0.0), max(high, 0.0)
    scale = (high - low) / 255.0
    if scale <= 0.0:
        return float(np.square(sample).mean())
    rounded = np.round(np.clip(sample, low, high) / scale) * scale
    return float(np.square(sample - rounded).mean())


OBSERVERS: Mapping[str, Observer] = {"minmax": minmax, "percentile": by_percentile, "mse": mse}
