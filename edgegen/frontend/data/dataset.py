"""Data sets: numbered samples."""

from __future__ import annotations

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
