"""A plain training loop and evaluation; write your own where they do not fit, nothing here is special."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend import functional as F  # noqa: N812
from edgegen.frontend.data.loader import DataLoader
from edgegen.frontend.mode import no_grad
from edgegen.frontend.nn.module import Module
from edgegen.frontend.optim.optimizer import Optimizer
from edgegen.frontend.optim.schedule import Schedule, constant
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Tensor

Forward: TypeAlias = Callable[[Tensor], Tensor]
Loss: TypeAlias = Callable[[Tensor, Array], Tensor]


@dataclass(frozen=True)
class Evaluation:
    """How a model did on labelled samples: mean loss, and the share whose largest score is the label."""

    loss: float
    accuracy: float
    count: int


@dataclass(frozen=True)
class Step:
    """One batch of training: which of how many in all epochs, its loss, and the learning-rate factor."""

    index: int
    total: int
    epoch: int
    loss: float
    lr_factor: float


@dataclass(frozen=True)
class Epoch:
    """One pass over the data: mean loss of its batches, seconds, and the validation if one was asked."""

    index: int
    loss: float
    seconds: float
    validation: Evaluation | None


def fit(
    model: Module,
    loader: DataLoader,
    optimizer: Optimizer,
    *,
    epochs: int,
    forward: Forward | None = None,
    loss: Loss = F.cross_entropy,
    schedule: Schedule = constant,
    validate: Callable[[], Evaluation] | None = None,
    on_step: Callable[[Step], None] | None = None,
    on_epoch: Callable[[Epoch], None] | None = None,
) -> tuple[Epoch, ...]:
    """Train `model` on batches (inputs, targets) and give the history, one entry an epoch.

    `forward` maps inputs to what `loss` takes, the model itself by default: a model that ends in softmax
    passes its logits here. `schedule` gives the factor on the learning rate, from the fraction of training
    done. Raises `ModelError` when the loss stops being a number. The model is left in `eval()`.
    """
    total = epochs * len(loader)
    if total < 1:
        raise ModelError(f"fit: nothing to train on: {epochs} epochs of {len(loader)} batches")
    history = []
    for epoch in range(epochs):
        model.train()
        started, losses = time.monotonic(), []
        for batch, (inputs, targets) in enumerate(loader):
            index = epoch * len(loader) + batch
            factor = schedule(index / total)
            losses.append(
                train_step(forward or model, optimizer, inputs, targets, loss=loss, lr_factor=factor)
            )
            if on_step:
                on_step(Step(index, total, epoch, losses[-1], factor))
        model.eval()
        done = Epoch(
            epoch, float(np.mean(losses)), time.monotonic() - started, validate() if validate else None
        )
        history.append(done)
        if on_epoch:
            on_epoch(done)
    return tuple(history)


def train_step(
    forward: Forward,
    optimizer: Optimizer,
    inputs: Array,
    targets: Array,
    *,
    loss: Loss = F.cross_entropy,
    lr_factor: float = 1.0,
) -> float:
    """One step down the gradient of one batch; gives its loss."""
    optimizer.zero_grad()
    value = loss(forward(Tensor(inputs)), targets)
    number = float(value)
    if not np.isfinite(number):
        raise ModelError(
            f"training: the loss became {number} in step {optimizer.steps}; lower the learning rate"
        )
    value.backward()
    optimizer.step(lr_factor=lr_factor)
    return number


def evaluate(
    model: Module,
    inputs: Array,
    labels: npt.NDArray[Any],
    *,
    forward: Forward | None = None,
    loss: Loss | None = F.cross_entropy,
    batch_size: int = 256,
) -> Evaluation:
    """Accuracy and mean loss of `model` in `eval()` on samples with class numbers; its mode is restored.

    `forward` as in `fit`. With `loss` None only the accuracy is computed, and the loss is NaN.
    """
    if not len(inputs) or len(inputs) != len(labels):
        raise ModelError(
            f"evaluate: takes as many labels as inputs, at least one, got {len(labels)} and {len(inputs)}"
        )
    hits, total = 0, 0.0
    with model.evaluating(), no_grad():
        for start in range(0, len(inputs), batch_size):
            wanted = labels[start : start + batch_size]
            scores = (forward or model)(Tensor(inputs[start : start + batch_size]))
            hits += int((scores.data.argmax(axis=-1) == wanted).sum())
            total += float(loss(scores, wanted)) * len(wanted) if loss else np.nan
    return Evaluation(total / len(inputs), hits / len(inputs), len(inputs))
