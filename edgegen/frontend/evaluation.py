"""Accuracy and loss of a classifier on arrays of samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend import functional as F  # noqa: N812
from edgegen.frontend.mode import no_grad
from edgegen.frontend.nn.module import Module
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

    `forward` maps inputs to scores, the model itself by default: a model that ends in softmax passes its
    logits here. With `loss` None only the accuracy is computed, and the loss is NaN.
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
