"""Initial values of parameters, always from a generator that the caller passes."""

from __future__ import annotations

import math

import numpy as np

from edgegen.frontend.tape import Array


def he_uniform(shape: tuple[int, ...], fan_in: int, rng: np.random.Generator) -> Array:
    """Uniform with variance 2 / fan_in: keeps the variance of activations through ReLU.

    Source: He, Zhang, Ren and Sun, "Delving Deep into Rectifiers", 2015.
    """
    limit = math.sqrt(6 / max(fan_in, 1))
    return rng.uniform(-limit, limit, shape).astype(np.float32)


def zeros(shape: tuple[int, ...]) -> Array:
    """All zero."""
    return np.zeros(shape, np.float32)


def ones(shape: tuple[int, ...]) -> Array:
    """All one."""
    return np.ones(shape, np.float32)
