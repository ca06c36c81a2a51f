"""Batches of a data set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.data.dataset import ArrayDataset, Dataset
from edgegen.frontend.tape import Array

Batch: TypeAlias = tuple[Array, ...]


class DataLoader:
    """Iterate over `dataset` in batches, each a tuple of arrays with a leading axis of samples.

    `shuffle` is the generator that draws a new order for each pass; without it the order is the data set's.
    `drop_last` leaves out a last batch that is not full. `transform` is applied to each batch.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        batch_size: int,
        shuffle: np.random.Generator | None = None,
        drop_last: bool = False,
        transform: Callable[[Batch], Batch] | None = None,
    ) -> None:
        if batch_size < 1:
            raise ModelError(f"DataLoader: batch_size takes a positive number, got {batch_size}")
        self.dataset, self.batch_size, self.shuffle = dataset, batch_size, shuffle
        self.drop_last, self.transform = drop_last, transform

    def __len__(self) -> int:
        full, rest = divmod(len(self.dataset), self.batch_size)
        return full + (1 if rest and not self.drop_last else 0)

    def __iter__(self) -> Iterator[Batch]:
        count = len(self.dataset)
        order = np.arange(count) if self.shuffle is None else self.shuffle.permutation(count)
        for start in range(0, len(self) * self.batch_size, self.batch_size):
            batch = self._take(order[start : start + self.batch_size])
            yield batch if self.transform is None else self.transform(batch)

    def _take(self, indices: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Batch:
        if isinstance(self.dataset, ArrayDataset):
            return self.dataset.take(indices)
        samples = [self.dataset[int(i)] for i in indices]
        return tuple(np.stack(column) for column in zip(*samples, strict=True))
