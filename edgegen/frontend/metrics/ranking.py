"""Metrics of scores that order samples rather than decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend.metrics.metric import Metric, counted
from edgegen.frontend.tape import Array


class AUC(Metric):
    """The area under the ROC curve: how likely a sample of class 1 scores higher than one of class 0.

    Outputs are one score a sample, (N,) or (N, 1), or two as (N, 2), of which the second counts; equal scores
    count half. Source: Hanley and McNeil, "The meaning and use of the area under a ROC curve", 1982.
    """

    def __init__(self, name: str = "auc") -> None:
        super().__init__(name)

    def reset(self) -> None:
        self.scores: list[npt.NDArray[np.float64]] = []
        self.labels: list[npt.NDArray[Any]] = []

    def update(self, outputs: Array, targets: npt.NDArray[Any]) -> None:
        labels = np.asarray(targets)
        columns = outputs.shape[1] if outputs.ndim == 2 else 1
        if outputs.ndim > 2 or columns > 2 or labels.shape != outputs.shape[:1] or not _binary(labels):
            raise ModelError(
                f"{self.name}: takes (N,), (N, 1) or (N, 2) scores and N labels of 0 or 1, got "
                f"{outputs.shape} and {labels.dtype} {labels.shape}"
            )
        self.scores.append(np.asarray(outputs[:, -1] if outputs.ndim == 2 else outputs, np.float64))
        self.labels.append(labels.astype(bool))

    def result(self) -> float:
        counted(self, sum(len(part) for part in self.labels))
        scores, labels = np.concatenate(self.scores), np.concatenate(self.labels)
        positive = int(labels.sum())
        negative = len(labels) - positive
        if not positive or not negative:
            raise ModelError(
                f"{self.name}: takes samples of both classes, got {negative} of 0, {positive} of 1"
            )
        _, groups, sizes = np.unique(scores, return_inverse=True, return_counts=True)
        # The rank of equal scores is the mean of the ranks that they take up.
        ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[groups]
        above = ranks[labels].sum() - positive * (positive + 1) / 2
        return float(above / (positive * negative))


def _binary(labels: npt.NDArray[Any]) -> bool:
    return labels.dtype.kind in "iub" and bool(np.isin(labels, (0, 1)).all())
