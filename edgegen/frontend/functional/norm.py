"""Batch normalisation as functions on tensors."""

from __future__ import annotations

import numpy as np

from edgegen.frontend.arrays.channels import along, channel_sum
from edgegen.frontend.functional import check
from edgegen.frontend.mode import current, fail
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Tensor, apply


def batch_norm(
    x: Tensor,
    gamma: Tensor,
    beta: Tensor,
    running_mean: Tensor,
    running_var: Tensor,
    *,
    epsilon: float = 1e-5,
) -> Tensor:
    """(x - running_mean) / sqrt(running_var + epsilon) * gamma + beta: the form for inference.

    `x` (..., C); the others (C,).
    """
    inputs = (x, gamma, beta, running_mean, running_var)
    _check(*inputs)
    a, g, mean = x._data, gamma._data, running_mean._data
    inverse = 1 / np.sqrt(running_var._data + a.dtype.type(epsilon))
    centred = a - along(mean, a)
    y = centred * along(inverse * g, a) + along(beta._data, a)

    def pull(dy: Array) -> tuple[Array, ...]:
        dbeta, dgamma = channel_sum(dy), channel_sum(dy * centred) * inverse
        return dy * along(inverse * g, a), dgamma, dbeta, -dbeta * inverse * g, -0.5 * dgamma * g * inverse**2

    return apply("batch_norm", inputs, y, pull, {"epsilon": float(epsilon)})


def batch_norm_training(
    x: Tensor, gamma: Tensor, beta: Tensor, *, epsilon: float = 1e-5
) -> tuple[Tensor, Array, Array]:
    """Normalise by the batch itself; gives the output, and the batch's mean and biased variance, (C,)."""
    _check(x, gamma, beta)
    if current().tracing:
        fail(
            "batch_norm",
            "normalises by the batch in training and cannot be frozen; switch the module to eval()",
        )
    a, g = x._data, gamma._data
    count = a.dtype.type(a.size // a.shape[-1])
    mean = channel_sum(a) / count
    centred = a - along(mean, a)
    var = channel_sum(np.square(centred)) / count
    inverse = 1 / np.sqrt(var + a.dtype.type(epsilon))
    unit = centred * along(inverse, a)

    def pull(dy: Array) -> tuple[Array, Array, Array]:
        dbeta, dgamma = channel_sum(dy), channel_sum(dy * unit)
        centred_dy = dy - along(dbeta / count, a) - unit * along(dgamma / count, a)
        return centred_dy * along(inverse * g, a), dgamma, dbeta

    y = apply(
        "batch_norm_training",
        (x, gamma, beta),
        unit * along(g, a) + along(beta._data, a),
        pull,
        {"epsilon": float(epsilon)},
    )
    return y, mean, var


def _check(x: Tensor, *others: Tensor) -> None:
    check.floats("batch_norm", x, *others)
    if x.ndim < 2:
        fail("batch_norm", f"input takes (N, ..., C), got {x.shape}")
    for name, tensor in zip(("gamma", "beta", "running_mean", "running_var"), others, strict=False):
        check.shape("batch_norm", name, tensor, x.shape[-1:])
