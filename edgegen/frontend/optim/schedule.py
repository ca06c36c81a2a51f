"""Learning-rate schedules: from the fraction of training done, 0 to 1, to a factor on the learning rate.

They have no state, so a resumed run continues by its step count alone.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import TypeAlias

from edgegen.errors import ModelError

Schedule: TypeAlias = Callable[[float], float]


def constant(progress: float) -> float:
    """The learning rate as given."""
    return 1.0


def step_decay(milestones: Sequence[float], *, factor: float = 0.1) -> Schedule:
    """Times `factor` from each milestone on; milestones are fractions of training, such as (0.5, 0.75)."""
    if list(milestones) != sorted(milestones) or not all(0 < m < 1 for m in milestones):
        raise ModelError(f"step_decay: milestones take rising fractions between 0 and 1, got {milestones}")
    return lambda progress: factor ** bisect_right(milestones, progress)


def cosine(*, end: float = 0.0) -> Schedule:
    """From 1 down to `end` by half a cosine.

    Source: Loshchilov and Hutter, "SGDR: Stochastic Gradient Descent with Warm Restarts", 2017.
    """
    return lambda progress: end + (1 - end) * 0.5 * (1 + math.cos(math.pi * progress))


def warm_up(then: Schedule = constant, *, fraction: float = 0.05, start: float = 0.0) -> Schedule:
    """Up from `start` to 1 linearly during `fraction` of training, then `then` over what is left."""
    if not 0 < fraction < 1:
        raise ModelError(f"warm_up: fraction takes a number between 0 and 1, got {fraction}")

    def factor(progress: float) -> float:
        if progress < fraction:
            return start + (then(0.0) - start) * progress / fraction
        return then((progress - fraction) / (1 - fraction))

    return factor


def one_cycle(*, warmup: float = 0.2, start: float = 0.1, end: float = 0.001) -> Schedule:
    """Up from `start` to 1 linearly during `warmup`, then down to `end` by half a cosine.

    Source: Smith and Topin, "Super-Convergence", 2018.
    """
    return warm_up(cosine(end=end), fraction=warmup, start=start)
