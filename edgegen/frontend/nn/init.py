"""Initial values of parameters, always from a generator that the caller passes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.tape import Array


def he_uniform(shape: tuple[int, ...], fan_in: int, rng: np.random.Generator) -> Array:
    """Uniform with variance 2 / fan_in: keeps the variance of activations through ReLU.

    Source: He, Zhang, Ren and Sun, "Delving Deep into Rectifiers", 2015.
    """
    limit = math.sqrt(6 / max(fan_in, 1))
    return rng.uniform(-limit, limit, shape).astype(np.float32)


def _uniform(shape: tuple[int, ...], variance: float, rng: np.random.Generator) -> Array:
    limit = math.sqrt(3 * variance)
    return rng.uniform(-limit, limit, shape).astype(np.float32)


def _normal(shape: tuple[int, ...], variance: float, rng: np.random.Generator) -> Array:
    return rng.normal(0, math.sqrt(variance), shape).astype(np.float32)


Draw = Callable[[tuple[int, ...], float, np.random.Generator], Array]

# The distribution and the variance from (fan_in, fan_out). Sources: He et al. (above); Glorot and Bengio,
# "Understanding the difficulty of training deep feedforward neural networks", 2010; LeCun, Bottou, Orr and
# Müller, "Efficient BackProp", 1998.
_BY_NAME: Mapping[str, tuple[Draw, Callable[[int, int], float]]] = {
    "zeros": (lambda shape, _variance, _rng: zeros(shape), lambda _fan_in, _fan_out: 0),
    "ones": (lambda shape, _variance, _rng: ones(shape), lambda _fan_in, _fan_out: 0),
    "he_uniform": (_uniform, lambda fan_in, _fan_out: 2 / fan_in),
    "he_normal": (_normal, lambda fan_in, _fan_out: 2 / fan_in),
    "glorot_uniform": (_uniform, lambda fan_in, fan_out: 2 / (fan_in + fan_out)),
    "glorot_normal": (_normal, lambda fan_in, fan_out: 2 / (fan_in + fan_out)),
    "lecun_uniform": (_uniform, lambda fan_in, _fan_out: 1 / fan_in),
    "lecun_normal": (_normal, lambda fan_in, _fan_out: 1 / fan_in),
}

NAMES = tuple(sorted(_BY_NAME))
"""What `by_name` takes."""


def by_name(
    name: str, shape: tuple[int, ...], *, fan_in: int, fan_out: int, rng: np.random.Generator
) -> Array:
    """Initial values in float32, such as `by_name("glorot_uniform", (8, 4), fan_in=4, fan_out=8, rng=rng)`.

    `fan_in` and `fan_out` count the elements that one output sums and that one input reaches. Raises
    ModelError for an unknown name or a fan below 1.
    """
    if name not in _BY_NAME:
        raise ModelError(f"initialiser: takes one of {', '.join(NAMES)}, got '{name}'")
    if fan_in < 1 or fan_out < 1:
        raise ModelError(
            f"initialiser '{name}': fan_in and fan_out take positive numbers, got {fan_in} and {fan_out}"
        )
    draw, variance = _BY_NAME[name]
    return draw(shape, variance(fan_in, fan_out), rng)


def zeros(shape: tuple[int, ...]) -> Array:
    """All zero."""
    return np.zeros(shape, np.float32)


def ones(shape: tuple[int, ...]) -> Array:
    """All one."""
    return np.ones(shape, np.float32)
