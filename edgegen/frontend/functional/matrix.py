"""Matrix products as functions on tensors."""

from __future__ import annotations

import numpy as np

from edgegen.frontend.functional import check
from edgegen.frontend.functional.arithmetic import unbroadcast
from edgegen.frontend.mode import fail
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Tensor, apply


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weight.T + bias: `x` (..., in), `weight` (out, in), `bias` (out,); gives (..., out)."""
    op = "fully_connected"
    check.rank(op, "weight", weight, ("out", "in"))
    check.floats(op, x, weight, *(() if bias is None else (bias,)))
    if x.ndim < 2 or x.shape[-1] != weight.shape[1]:
        fail(op, f"input takes (..., {weight.shape[1]}) for the weight {weight.shape}, got {x.shape}")
    if bias is not None:
        check.shape(op, "bias", bias, weight.shape[:1])
    a, w = x._data, weight._data
    y = a @ w.T
    if bias is not None:
        y += bias._data

    def pull(dy: Array) -> tuple[Array | None, ...]:
        flat = dy.reshape(-1, dy.shape[-1])
        dw = flat.T @ a.reshape(-1, a.shape[-1])
        return (dy @ w, dw) if bias is None else (dy @ w, dw, flat.sum(axis=0))

    return apply(op, (x, weight) if bias is None else (x, weight, bias), y, pull)


def matmul(x: Tensor, y: Tensor) -> Tensor:
    """The product of the last two axes, broadcast over the ones before: (..., M, K) @ (..., K, N)."""
    op = "batch_matmul"
    check.floats(op, x, y)
    if x.ndim < 2 or y.ndim < 2 or x.shape[-1] != y.shape[-2]:
        fail(op, f"takes (..., M, K) and (..., K, N), got {x.shape} and {y.shape}")
    a, b = x._data, y._data

    def pull(dz: Array) -> tuple[Array, Array]:
        da, db = dz @ np.swapaxes(b, -1, -2), np.swapaxes(a, -1, -2) @ dz
        return unbroadcast(da, a.shape), unbroadcast(db, b.shape)

    return apply(op, (x, y), a @ b, pull, {"adj_x": False, "adj_y": False})
