"""Learning-rate schedules: from the fraction of training done, 0 to 1, to a factor on the learning rate."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

Schedule: TypeAlias = Callable[[float], float]


def constant(progress: float) -> float:
    """The learning rate as given."""
    return 1.0


def one_cycle(*, warmup: float = 0.2, start: float = 0.1, end: float = 0.001) -> Schedule:
    """Up from `start` to 1 linearly during `warmup`, then down to `end` by half a cosine.

    Source: Smith and Topin, "Super-Convergence", 2018.
    """

    def factor(progress: float) -> float:
        if progress < warmup:
            return start + (1 - start) * progress / warmup
        down = (progress - warmup) / (1 - warmup)
        return end + (1 - end) * 0.5 * (1 + math.cos(math.pi * down))

    return factor
