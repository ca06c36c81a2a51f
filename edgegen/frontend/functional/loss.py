"""Losses as functions on tensors."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from edgegen.frontend.functional import check
from edgegen.frontend.mode import fail
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Tensor, apply


def cross_entropy(logits: Tensor, labels: npt.ArrayLike, *, label_smoothing: float = 0.0) -> Tensor:
    """The mean of -log softmax(logits)[label].

    `logits` (N, classes) are the scores *before* softmax, `labels` N class numbers. With `label_smoothing` s
    the target is 1 - s for the label plus s / classes for every class.
    """
    op = "cross_entropy"
    check.rank(op, "logits", logits, ("N", "classes"))
    check.floats(op, logits)
    if logits.record is not None and logits.record.op == "softmax":
        fail(op, "takes logits, got the output of softmax; pass the tensor that goes into softmax")
    target = _target(op, logits, labels, label_smoothing)
    shifted = logits._data - logits._data.max(axis=1, keepdims=True)
    log_p = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    rows = logits.dtype.type(len(target))

    def pull(dy: Array) -> tuple[Array]:
        return ((np.exp(log_p) - target) * (dy / rows),)

    return apply(
        op, (logits,), -(target * log_p).sum() / rows, pull, {"label_smoothing": float(label_smoothing)}
    )


def _target(op: str, logits: Tensor, labels: npt.ArrayLike, smoothing: float) -> Array:
    wanted = np.asarray(labels)
    rows, classes = logits.shape
    if wanted.shape != (rows,) or wanted.dtype.kind not in "iu" or not rows:
        fail(op, f"labels takes {rows} integers, at least one, got {wanted.dtype} of shape {wanted.shape}")
    if wanted.min() < 0 or wanted.max() >= classes:
        fail(op, f"labels go from 0 to {classes - 1}, got {wanted.min()} to {wanted.max()}")
    if not 0 <= smoothing < 1:
        fail(op, f"label_smoothing takes 0 <= s < 1, got {smoothing}")
    target = np.full((rows, classes), smoothing / classes, logits.dtype)
    target[np.arange(rows), wanted] += 1 - smoothing
    return target


def mse(prediction: Tensor, target: npt.ArrayLike) -> Tensor:
    """The mean squared difference."""
    difference = prediction._data - _wanted("mse", prediction, target)
    scale = prediction.dtype.type(2 / max(difference.size, 1))
    return apply("mse", (prediction,), np.square(difference).mean(), lambda dy: (dy * scale * difference,))


def binary_cross_entropy(logits: Tensor, target: npt.ArrayLike) -> Tensor:
    """The mean of -log sigmoid(logits) where the target is 1, of -log(1 - sigmoid(logits)) where it is 0.

    `target` has the shape of `logits` and values from 0 to 1.
    """
    op = "binary_cross_entropy"
    wanted = _wanted(op, logits, target)
    if wanted.min(initial=0) < 0 or wanted.max(initial=0) > 1:
        fail(op, f"target takes values from 0 to 1, got {wanted.min()} to {wanted.max()}")
    x = logits._data
    losses = np.maximum(x, 0) - x * wanted + np.log1p(np.exp(-np.abs(x)))
    count = logits.dtype.type(max(x.size, 1))
    p = 0.5 * np.tanh(0.5 * x) + 0.5
    return apply(op, (logits,), losses.mean(), lambda dy: (dy * (p - wanted) / count,))


def l1(prediction: Tensor, target: npt.ArrayLike) -> Tensor:
    """The mean absolute difference; its slope at zero is zero."""
    difference = prediction._data - _wanted("l1", prediction, target)
    count = prediction.dtype.type(max(difference.size, 1))
    return apply(
        "l1", (prediction,), np.abs(difference).mean(), lambda dy: (dy * np.sign(difference) / count,)
    )


def huber(prediction: Tensor, target: npt.ArrayLike, *, delta: float = 1.0) -> Tensor:
    """The mean of d^2 / 2 for differences d up to `delta`, of delta * (|d| - delta / 2) beyond.

    Source: Huber, "Robust Estimation of a Location Parameter", 1964.
    """
    if delta <= 0:
        fail("huber", f"delta takes a positive number, got {delta}")
    d = prediction._data - _wanted("huber", prediction, target)
    losses = np.where(np.abs(d) <= delta, d * d / 2, delta * (np.abs(d) - delta / 2))
    count = prediction.dtype.type(max(d.size, 1))
    return apply(
        "huber",
        (prediction,),
        losses.mean().astype(prediction.dtype),
        lambda dy: (dy * np.clip(d, -delta, delta) / count,),
        {"delta": float(delta)},
    )


def _wanted(op: str, prediction: Tensor, target: npt.ArrayLike) -> Array:
    check.floats(op, prediction)
    wanted = np.asarray(target, prediction.dtype)
    if wanted.shape != prediction.shape:
        fail(op, f"target takes the shape {prediction.shape}, got {wanted.shape}")
    return wanted
