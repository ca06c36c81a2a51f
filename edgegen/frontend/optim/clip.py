"""Keeping gradients small: by the norm of all of them, or value by value."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.tensor import Parameter


def clip_norm(parameters: Iterable[Parameter], limit: float) -> float:
    """Scale all gradients by one factor so that their joint Euclidean norm is at most `limit`.

    Gives the norm before. Parameters without a gradient are left out. Raises `ModelError` when the norm is no
    number, since no factor would help then. Source: Pascanu, Mikolov and Bengio, "On the difficulty of
    training recurrent neural networks", 2013.
    """
    _positive("clip_norm", limit)
    found = [(p, p.grad) for p in parameters if p.grad is not None]
    norm = math.sqrt(sum(float(np.square(grad, dtype=np.float64).sum()) for _, grad in found))
    if not math.isfinite(norm):
        raise ModelError(f"clip_norm: the norm of the gradients is {norm}; lower the learning rate")
    if norm > limit:
        for parameter, grad in found:
            parameter.grad = grad * parameter.dtype.type(limit / norm)
    return norm


def clip_value(parameters: Iterable[Parameter], limit: float) -> None:
    """Limit each value of each gradient to the range from -`limit` to `limit`."""
    _positive("clip_value", limit)
    for parameter in parameters:
        if parameter.grad is not None:
            bound = parameter.dtype.type(limit)
            parameter.grad = np.clip(parameter.grad, -bound, bound)


def _positive(name: str, limit: float) -> None:
    if not limit > 0:
        raise ModelError(f"{name}: limit takes a positive number, got {limit}")
