"""Metrics of predicted numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend.metrics.metric import Mean
from edgegen.frontend.tape import Array


class MAE(Mean):
    """The mean absolute difference of outputs and targets, which have one shape (N, ...)."""

    def __init__(self, name: str = "mae") -> None:
        super().__init__(name)

    def each(self, outputs: Array, targets: npt.NDArray[Any]) -> npt.NDArray[Any]:
        wanted = np.asarray(targets)
        if wanted.shape != outputs.shape or not outputs.ndim:
            raise ModelError(
                f"{self.name}: takes outputs and targets of one shape, got {outputs.shape} and {wanted.shape}"
            )
        differences = np.abs(outputs - wanted).reshape(len(outputs), -1)
        return np.asarray(differences.mean(axis=1, dtype=np.float64))
