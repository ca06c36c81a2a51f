"""What a data set is, as a hash: two runs on the same samples have the same."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np

from edgegen.frontend.data.dataset import ArrayDataset, Dataset, Subset
from edgegen.frontend.tape import Array


def dataset_digest(dataset: Dataset) -> str | None:
    """SHA-256 over types, shapes and values of the arrays of a data set, or a part of one.

    A data set of another kind is asked by its method `digest()`, which gives a text; None if it has none.
    """
    own: Callable[[], str] | Any = getattr(dataset, "digest", None)
    if callable(own):
        return str(own())
    if isinstance(dataset, ArrayDataset):
        return _sha256(*dataset.arrays)
    if isinstance(dataset, Subset):
        whole = dataset_digest(dataset.dataset)
        return None if whole is None else _sha256(dataset.indices.astype(np.int64), start=whole)
    return None


def _sha256(*arrays: Array, start: str = "") -> str:
    hasher = hashlib.sha256(start.encode())
    for array in arrays:
        hasher.update(f"{array.dtype.str} {array.shape};".encode())
        hasher.update(np.ascontiguousarray(array).tobytes())
    return f"sha256:{hasher.hexdigest()}"
