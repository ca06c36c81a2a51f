"""Random changes that keep the meaning of a sample. Each sample of a batch draws its own.

Every change is called with an array (N, ...) and a generator. `Augment` applies several to a batch:

    DataLoader(..., shuffle=rng, augment=Augment(RandomFlip(), Noise(0.02)))
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.data.batches import Batch
from edgegen.frontend.tape import Array

Change: TypeAlias = Callable[[Array, np.random.Generator], Array]


class Augment:
    """Applies `changes` in order to one array of each batch, the first by default."""

    def __init__(self, *changes: Change, position: int = 0) -> None:
        self.changes, self.position = changes, position

    def __call__(self, batch: Batch, rng: np.random.Generator) -> Batch:
        if not 0 <= self.position < len(batch):
            raise ModelError(f"Augment: a batch of {len(batch)} arrays has none at {self.position}")
        array = batch[self.position]
        for change in self.changes:
            array = change(array, rng)
        return (*batch[: self.position], array, *batch[self.position + 1 :])


def check_axes(change: object, array: Array, axes: tuple[str, ...]) -> None:
    """ModelError unless the array is of floats and has these axes, or more where the last one is `...`."""
    rest = axes[-1] == "..."
    fits = array.ndim >= len(axes) - 1 if rest else array.ndim == len(axes)
    if not fits or array.dtype.kind != "f":
        name = type(change).__name__
        raise ModelError(
            f"{name}: takes floats ({', '.join(axes)}), got {array.dtype} of shape {array.shape}"
        )
