"""Activations as functions on tensors."""

from __future__ import annotations

import numpy as np

from edgegen.frontend.functional import check
from edgegen.frontend.mode import current, fail
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Tensor, apply

GELU_SCALE = 0.7978845608028654
"""The square root of 2 / pi."""


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


def leaky_relu(x: Tensor, alpha: float = 0.01) -> Tensor:
    """x where positive, alpha * x elsewhere."""
    check.floats("leaky_relu", x)
    slope = np.where(x._data > 0, 1, alpha).astype(x.dtype)
    return apply("leaky_relu", (x,), x._data * slope, lambda dy: (dy * slope,), {"alpha": float(alpha)})


def prelu(x: Tensor, alpha: Tensor) -> Tensor:
    """x where positive, alpha * x elsewhere, with an alpha (C,) that is learnt for each channel."""
    check.floats("prelu", x, alpha)
    check.shape("prelu", "alpha", alpha, (x.shape[-1],))
    positive = x._data > 0
    y = np.where(positive, x._data, x._data * alpha._data)

    def pull(dy: Array) -> tuple[Array, Array]:
        below = np.where(positive, 0, dy * x._data).reshape(-1, x.shape[-1]).sum(axis=0)
        return np.where(positive, dy, dy * alpha._data), below

    return apply("prelu", (x, alpha), y, pull)


def elu(x: Tensor) -> Tensor:
    """x where positive, e^x - 1 elsewhere."""
    check.floats("elu", x)
    y = np.where(x._data > 0, x._data, np.expm1(np.minimum(x._data, 0)))
    return apply("elu", (x,), y, lambda dy: (dy * np.where(x._data > 0, 1, y + 1),))


def gelu(x: Tensor) -> Tensor:
    """x times the normal distribution function of x, by its usual approximation with tanh."""
    check.floats("gelu", x)
    a = x._data
    inner = GELU_SCALE * (a + 0.044715 * a**3)
    t = np.tanh(inner)

    def pull(dy: Array) -> tuple[Array]:
        slope = GELU_SCALE * (1 + 3 * 0.044715 * a**2)
        return ((dy * (0.5 * (1 + t) + 0.5 * a * (1 - t * t) * slope)).astype(x.dtype),)

    return apply("gelu", (x,), (0.5 * a * (1 + t)).astype(x.dtype), pull, {"approximate": True})


def silu(x: Tensor) -> Tensor:
    """x * sigmoid(x), also called swish."""
    return x * sigmoid(x)


def hard_swish(x: Tensor) -> Tensor:
    """x * min(max(x + 3, 0), 6) / 6."""
    check.floats("hard_swish", x)
    a = x._data
    y = (a * np.clip(a + 3, 0, 6) / 6).astype(x.dtype)
    slope = np.where(a <= -3, 0, np.where(a >= 3, 1, (2 * a + 3) / 6)).astype(x.dtype)
    return apply("hard_swish", (x,), y, lambda dy: (dy * slope,))


def hard_sigmoid(x: Tensor) -> Tensor:
    """min(max(x + 3, 0), 6) / 6."""
    return relu6(x + 3.0) * (1 / 6)


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
