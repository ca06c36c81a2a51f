"""From sample numbers to one batch: the work that a loader does, or hands to its workers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend.data.dataset import Dataset, taken
from edgegen.frontend.tape import Array

Batch: TypeAlias = tuple[Array, ...]
Collate: TypeAlias = Callable[[Sequence[tuple[Any, ...]]], Batch]
Augment: TypeAlias = Callable[[Batch, np.random.Generator], Batch]
Transform: TypeAlias = Callable[[Batch], Batch]


@dataclass(frozen=True, eq=False)
class BatchTask:
    """Batch `number` of a pass: its samples, and the seed of the pass that its augmentation draws from."""

    number: int
    indices: npt.NDArray[np.intp]
    seed: int


@dataclass(frozen=True, eq=False)
class BatchMaker:
    """Takes the samples of a task, joins them, augments and transforms the batch."""

    dataset: Dataset
    collate: Collate | None
    augment: Augment | None
    transform: Transform | None

    def __call__(self, task: BatchTask) -> Batch:
        batch = self._joined(task.indices)
        if self.augment is not None:
            # A generator for each batch, so that the numbers do not depend on who makes it, and when.
            batch = self.augment(batch, np.random.default_rng([task.seed, task.number]))
        return batch if self.transform is None else self.transform(batch)

    def _joined(self, indices: npt.NDArray[np.intp]) -> Batch:
        at_once = taken(self.dataset, indices) if self.collate is None else None
        if at_once is not None:
            return at_once
        return (self.collate or stack)([self.dataset[int(i)] for i in indices])


def stack(samples: Sequence[tuple[Any, ...]]) -> Batch:
    """Samples of equal shapes, one upon the other: a tuple of arrays with a leading axis of samples."""
    try:
        return tuple(np.stack(column) for column in zip(*samples, strict=True))
    except ValueError as problem:
        shapes = sorted({str(tuple(np.shape(part) for part in sample)) for sample in samples})
        raise ModelError(
            f"DataLoader: samples of different shapes, {' and '.join(shapes[:3])}; pass a collate= that "
            "joins them, by padding for example"
        ) from problem
