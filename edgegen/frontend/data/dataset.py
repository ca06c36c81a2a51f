"""Data sets: numbered samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend.tape import Array


class Dataset(Protocol):
    """`len()` samples, each a tuple of arrays such as (image, label)."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> tuple[Any, ...]: ...


class ArrayDataset:
    """Samples held in arrays of equal length: sample i is row i of each."""

    def __init__(self, *arrays: Array) -> None:
        lengths = sorted({len(a) for a in arrays})
        if len(lengths) != 1:
            raise ModelError(f"ArrayDataset: takes arrays of one length, got the lengths {lengths}")
        self.arrays = arrays

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return tuple(a[index] for a in self.arrays)

    def take(self, indices: npt.NDArray[np.intp]) -> tuple[Array, ...]:
        """Many samples at once: row i of each result is sample `indices[i]`."""
        return tuple(a[indices] for a in self.arrays)


class Subset:
    """The samples of another data set at `indices`, in that order."""

    def __init__(self, dataset: Dataset, indices: Sequence[int] | npt.NDArray[np.intp]) -> None:
        self.dataset = dataset
        self.indices = np.asarray(indices, np.intp)
        count = len(dataset)
        if self.indices.ndim != 1 or (self.indices.size and not _within(self.indices, count)):
            raise ModelError(f"Subset: indices take numbers from 0 to {count - 1}")

    def __len__(self) -> int:
        return len(self.indices)

    def __getitem__(self, index: int) -> tuple[Any, ...]:
        return self.dataset[int(self.indices[index])]


def taken(dataset: Dataset, indices: npt.NDArray[np.intp]) -> tuple[Array, ...] | None:
    """Many samples at once, where the data set is made of arrays or a part of one that is."""
    if isinstance(dataset, ArrayDataset):
        return dataset.take(indices)
    if isinstance(dataset, Subset):
        return taken(dataset.dataset, dataset.indices[indices])
    return None


def split(dataset: Dataset, *counts: int, rng: np.random.Generator) -> tuple[Subset, ...]:
    """Parts of `counts` samples each, drawn without overlap; together they must be the whole data set."""
    if sum(counts) != len(dataset) or min(counts, default=0) < 0:
        raise ModelError(
            f"split: the parts {counts} must add up to the {len(dataset)} samples, got {sum(counts)}"
        )
    order = rng.permutation(len(dataset))
    return tuple(Subset(dataset, part) for part in np.split(order, np.cumsum(counts)[:-1]))


def _within(indices: npt.NDArray[np.intp], count: int) -> bool:
    return bool(indices.min() >= 0 and indices.max() < count)
