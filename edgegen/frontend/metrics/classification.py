"""Metrics of classifiers: (N, classes) scores, before or after softmax, against N class numbers."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend.metrics.metric import Mean, Metric, counted, predicted
from edgegen.frontend.tape import Array


class Accuracy(Mean):
    """The share of samples whose largest score is that of the label.

    With `threshold`, outputs are single scores, and those above it are class 1: 0.5 for probabilities, 0 for
    logits.
    """

    def __init__(self, name: str = "accuracy", *, threshold: float | None = None) -> None:
        self.threshold = threshold
        super().__init__(name)

    def each(self, outputs: Array, targets: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.asarray(predicted(self, outputs, targets, self.threshold) == targets)


class TopK(Mean):
    """The share of samples whose label is among the `k` largest scores; of equal scores the first counts."""

    def __init__(self, k: int, name: str = "") -> None:
        if k < 1:
            raise ModelError(f"TopK: k takes a positive number, got {k}")
        self.k = k
        super().__init__(name or f"top{k}")

    def each(self, outputs: Array, targets: npt.NDArray[Any]) -> npt.NDArray[Any]:
        predicted(self, outputs, targets, None)
        best = np.argsort(-outputs, axis=1, kind="stable")[:, : self.k]
        return np.asarray((best == np.asarray(targets)[:, np.newaxis]).any(axis=1))


class ConfusionMatrix(Metric):
    """How many samples of class i (row) were taken for class j (column)."""

    def __init__(
        self, classes: int, name: str = "confusion_matrix", *, threshold: float | None = None
    ) -> None:
        if classes < 2:
            raise ModelError(f"{name}: takes two classes or more, got {classes}")
        self.classes, self.threshold = classes, threshold
        super().__init__(name)

    def reset(self) -> None:
        self.matrix = np.zeros((self.classes, self.classes), np.int64)

    def update(self, outputs: Array, targets: npt.NDArray[Any]) -> None:
        found = predicted(self, outputs, targets, self.threshold)
        wanted = np.asarray(targets, np.intp)
        both = np.concatenate([found, wanted])
        if both.size and (both.min() < 0 or both.max() >= self.classes):
            raise ModelError(
                f"{self.name}: classes go from 0 to {self.classes - 1}, got {both.min()} to {both.max()}"
            )
        np.add.at(self.matrix, (wanted, found), 1)

    def result(self) -> Any:
        counted(self, int(self.matrix.sum()))
        return self.matrix.tolist()


class _OfMatrix(ConfusionMatrix):
    """A number a class, from the confusion matrix: their mean over classes, or that of class `of_class`."""

    def __init__(
        self, classes: int, name: str, *, of_class: int | None = None, threshold: float | None = None
    ) -> None:
        super().__init__(classes, name, threshold=threshold)
        if of_class is not None and not 0 <= of_class < classes:
            raise ModelError(f"{name}: of_class goes from 0 to {classes - 1}, got {of_class}")
        self.of_class = of_class

    def result(self) -> float:
        counted(self, int(self.matrix.sum()))
        each = self.each_class()
        return float(each.mean() if self.of_class is None else each[self.of_class])

    @abstractmethod
    def each_class(self) -> npt.NDArray[np.float64]:
        """One number for each class."""


class Precision(_OfMatrix):
    """Of the samples taken for a class, the share that belongs to it; 0 where none was taken for it.

    The mean over the classes (macro), or that of `of_class`.
    """

    def __init__(
        self,
        classes: int = 2,
        name: str = "precision",
        *,
        of_class: int | None = None,
        threshold: float | None = None,
    ) -> None:
        super().__init__(classes, name, of_class=of_class, threshold=threshold)

    def each_class(self) -> npt.NDArray[np.float64]:
        return _share(self.matrix.diagonal(), self.matrix.sum(axis=0))


class Recall(_OfMatrix):
    """Of the samples of a class, the share taken for it; 0 where there are none. See `Precision`."""

    def __init__(
        self,
        classes: int = 2,
        name: str = "recall",
        *,
        of_class: int | None = None,
        threshold: float | None = None,
    ) -> None:
        super().__init__(classes, name, of_class=of_class, threshold=threshold)

    def each_class(self) -> npt.NDArray[np.float64]:
        return _share(self.matrix.diagonal(), self.matrix.sum(axis=1))


class F1(_OfMatrix):
    """The harmonic mean of precision and recall of a class; 0 where both are. See `Precision`."""

    def __init__(
        self,
        classes: int = 2,
        name: str = "f1",
        *,
        of_class: int | None = None,
        threshold: float | None = None,
    ) -> None:
        super().__init__(classes, name, of_class=of_class, threshold=threshold)

    def each_class(self) -> npt.NDArray[np.float64]:
        return _share(2 * self.matrix.diagonal(), self.matrix.sum(axis=0) + self.matrix.sum(axis=1))


def _share(part: npt.NDArray[np.int64], whole: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)
