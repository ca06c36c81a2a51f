"""What training tells: one record a step, one an epoch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class StepRecord:
    """One batch: its number in the epoch and of how many, both from 1; what `Trainer.step` gave for it."""

    epoch: int
    batch: int
    batches: int
    values: Mapping[str, float]
    lr_factor: float


@dataclass(frozen=True)
class EpochRecord:
    """One pass over the data, numbered from 1.

    `train` are means over its samples, `validation` what `Trainer.evaluate` gave, empty without validation.
    `lr_factor` is the factor on the learning rates as the epoch ends.
    """

    epoch: int
    train: Mapping[str, float]
    validation: Mapping[str, Any]
    lr_factor: float
    seconds: float

    @property
    def values(self) -> dict[str, Any]:
        """All of it by full name, such as train/loss and val/accuracy."""
        train = {f"train/{name}": value for name, value in self.train.items()}
        return {**train, **{f"val/{name}": value for name, value in self.validation.items()}}

    def plain(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    @staticmethod
    def from_plain(values: Mapping[str, Any]) -> EpochRecord:
        return EpochRecord(**values)
