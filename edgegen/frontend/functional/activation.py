"""Activations as functions on tensors."""

from __future__ import annotations

import numpy as np

from edgegen.frontend.functional import check
from edgegen.frontend.mode import current, fail
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Tensor, apply


def relu(x: Tensor) -> Tensor:
    """max(x, 0); the slope at zero is zero."""
    check.floats("relu", x)
    y = np.maximum(x._data, 0)
    return apply("relu", (x,), y, lambda dy: (dy * (y > 0),))


def relu6(x: Tensor) -> Tensor:
    """min(max(x, 0), 6); the slope at both ends is zero."""
    check.floats("relu6", x)
    y = np.clip(x._data, 0, 6)
    return apply("relu6", (x,), y, lambda dy: (dy * ((y > 0) & (y < 6)),))


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + e^-x)."""
    check.floats("logistic", x)
    # By tanh, which does not overflow.
    y = (0.5 * np.tanh(0.5 * x._data) + 0.5).astype(x.dtype)
    return apply("logistic", (x,), y, lambda dy: (dy * y * (1 - y),))


def tanh(x: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    check.floats("tanh", x)
    y = np.tanh(x._data)
    return apply("tanh", (x,), y, lambda dy: (dy * (1 - y * y),))


def softmax(x: Tensor) -> Tensor:
    """e^x / sum(e^x) along the last axis."""
    check.floats("softmax", x)
    if not x.ndim:
        fail("softmax", "takes at least one axis, got a number")
    powers = np.exp(x._data - x._data.max(axis=-1, keepdims=True))
    y = powers / powers.sum(axis=-1, keepdims=True)

    def pull(dy: Array) -> tuple[Array]:
        return ((dy - (dy * y).sum(axis=-1, keepdims=True)) * y,)

    return apply("softmax", (x,), y, pull)


def dropout(x: Tensor, rate: float, *, rng: np.random.Generator) -> Tensor:
    """Set each element to zero with probability `rate` and scale the others up, so that the mean stays."""
    check.floats("dropout", x)
    if not 0 <= rate < 1:
        fail("dropout", f"rate takes 0 <= rate < 1, got {rate}")
    if current().tracing:
        fail("dropout", "is random and cannot be frozen; switch the module to eval()")
    keep = ((rng.random(x.shape) >= rate) / (1 - rate)).astype(x.dtype)
    return apply("dropout", (x,), x._data * keep, lambda dy: (dy * keep,), {"rate": float(rate)})
