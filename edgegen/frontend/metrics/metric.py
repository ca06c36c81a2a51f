"""What metrics share: they collect batches and give one result."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend.tape import Array


class Metric(ABC):
    """A measure over samples: `update` with batches of outputs and targets, then `result`, then `reset`.

    `name` is under what it is reported. `additive` says that the result over all samples is the mean of those
    of batches, weighted by their samples; such metrics are shown while training, the others of validation.
    """

    additive: ClassVar[bool] = False

    def __init__(self, name: str) -> None:
        self.name = name
        self.reset()

    @abstractmethod
    def reset(self) -> None:
        """Forget everything."""

    @abstractmethod
    def update(self, outputs: Array, targets: npt.NDArray[Any]) -> None:
        """Take in a batch."""

    @abstractmethod
    def result(self) -> Any:
        """The measure over what came since `reset`: a number, or nested lists of numbers.

        `ModelError` if nothing came.
        """

    def of(self, outputs: Array, targets: npt.NDArray[Any]) -> Any:
        """The measure of this batch alone; what was collected before is forgotten."""
        self.reset()
        self.update(outputs, targets)
        value = self.result()
        self.reset()
        return value


class Mean(Metric):
    """A metric that is the mean of one number a sample."""

    additive = True

    def reset(self) -> None:
        self.total, self.count = 0.0, 0

    def update(self, outputs: Array, targets: npt.NDArray[Any]) -> None:
        numbers = self.each(outputs, targets)
        self.total += float(np.sum(numbers, dtype=np.float64))
        self.count += len(numbers)

    def result(self) -> float:
        return self.total / counted(self, self.count)

    @abstractmethod
    def each(self, outputs: Array, targets: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """One number for each sample, (N,)."""


def counted(metric: Metric, count: int) -> int:
    """The number of samples, of which there must be one."""
    if not count:
        raise ModelError(f"{metric.name}: there are no samples to measure")
    return count


def predicted(
    metric: Metric, outputs: Array, targets: npt.NDArray[Any], threshold: float | None
) -> npt.NDArray[np.intp]:
    """The class of each sample, (N,): the largest of (N, classes) scores, the first of equals.

    With a threshold, outputs are one score a sample, (N,) or (N, 1), and above it the class is 1.
    """
    wanted = np.asarray(targets)
    single = outputs.reshape(len(outputs), -1).shape[-1] == 1 if len(outputs) else True
    fits = single if threshold is not None else outputs.ndim == 2
    if not fits or wanted.shape != (len(outputs),) or wanted.dtype.kind not in "iub":
        takes = "(N,) or (N, 1) scores" if threshold is not None else "(N, classes) scores"
        raise ModelError(
            f"{metric.name}: takes {takes} and N class numbers, got {outputs.shape} and {wanted.dtype} "
            f"{wanted.shape}"
        )
    if threshold is not None:
        return (outputs.reshape(len(outputs)) > threshold).astype(np.intp)
    return outputs.argmax(axis=1) if len(outputs) else np.zeros(0, np.intp)
