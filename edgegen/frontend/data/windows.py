"""Random changes to windows of a signal, (N, steps, ...): sound, spectrograms, sensors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.data.augment import check_axes
from edgegen.frontend.tape import Array

AXES = ("N", "steps", "...")


@dataclass(frozen=True)
class Noise:
    """Add normal noise of standard deviation `deviation` to every value, of images too."""

    deviation: float

    def __call__(self, samples: Array, rng: np.random.Generator) -> Array:
        check_axes(self, samples, ("N", "..."))
        drawn = rng.standard_normal(samples.shape, np.float32) * np.float32(self.deviation)
        return np.asarray(samples + drawn.astype(samples.dtype))


@dataclass(frozen=True)
class Gain:
    """Multiply each window by a factor of its own, from `low` to `high`."""

    low: float
    high: float

    def __call__(self, windows: Array, rng: np.random.Generator) -> Array:
        check_axes(self, windows, AXES)
        shape = (len(windows), *(1 for _ in windows.shape[1:]))
        return np.asarray(windows * rng.uniform(self.low, self.high, shape).astype(windows.dtype))


@dataclass(frozen=True)
class TimeShift:
    """Move each window by up to `steps` earlier or later; what comes in is `fill`, or the end with `wrap`."""

    steps: int
    fill: float = 0.0
    wrap: bool = False

    def __call__(self, windows: Array, rng: np.random.Generator) -> Array:
        check_axes(self, windows, AXES)
        count, length = windows.shape[:2]
        moved = rng.integers(-self.steps, self.steps, (count, 1), endpoint=True)
        source = np.arange(length) - moved
        taken: Array = windows[np.arange(count)[:, None], source % length]
        outside = np.zeros_like(source, bool) if self.wrap else (source < 0) | (source >= length)
        return np.where(_spread(outside, windows), windows.dtype.type(self.fill), taken)


@dataclass(frozen=True)
class TimeMask:
    """Cover a stretch of each window, of 0 to `steps` steps, with `fill`.

    Source: Park et al., "SpecAugment: A Simple Data Augmentation Method for Automatic Speech Recognition",
    2019.
    """

    steps: int
    fill: float = 0.0

    def __call__(self, windows: Array, rng: np.random.Generator) -> Array:
        check_axes(self, windows, AXES)
        count, length = windows.shape[:2]
        if not 0 <= self.steps <= length:
            raise ModelError(f"TimeMask: steps takes 0 to the {length} of a window, got {self.steps}")
        width = rng.integers(self.steps, size=(count, 1), endpoint=True)
        start = rng.integers(length - width, endpoint=True)
        at = np.arange(length)
        covered = (at >= start) & (at < start + width)
        return np.where(_spread(covered, windows), windows.dtype.type(self.fill), windows)


def _spread(chosen: Array, windows: Array) -> Array:
    return chosen.reshape(*chosen.shape, *(1 for _ in windows.shape[2:]))
