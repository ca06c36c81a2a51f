"""When to stop: a decision by the history alone, so that a resumed run decides the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from edgegen.errors import ModelError
from edgegen.frontend.trainer.history import EpochRecord


@dataclass(frozen=True)
class EarlyStopping:
    """Stop when `monitor` has not become better by more than `change` for `patience` epochs.

    `monitor` is a name such as val/loss; better is smaller, or with `mode` "max" larger. At the end of
    training the model gets the weights of the best epoch, unless `restore_best` is off.
    """

    monitor: str = "val/loss"
    patience: int = 5
    mode: str = "min"
    change: float = 0.0
    restore_best: bool = True

    def __post_init__(self) -> None:
        if self.mode not in ("min", "max") or self.patience < 1 or self.change < 0:
            raise ModelError(
                "EarlyStopping: takes mode min or max, a positive patience and no negative change, got "
                f"{self.mode}, {self.patience} and {self.change}"
            )

    def best_epoch(self, history: Sequence[EpochRecord]) -> int:
        """The number of the epoch that was the last to be better than all before; 0 without history."""
        best, best_epoch = math.inf, 0
        for record in history:
            value = self._value(record)
            if value < best - self.change or not best_epoch:
                best, best_epoch = value, record.epoch
        return best_epoch

    def stops(self, history: Sequence[EpochRecord]) -> bool:
        """Whether training ends here."""
        return bool(history) and history[-1].epoch - self.best_epoch(history) >= self.patience

    def _value(self, record: EpochRecord) -> float:
        value = record.values.get(self.monitor)
        if not isinstance(value, int | float):
            numbers = [name for name, v in record.values.items() if isinstance(v, int | float)]
            raise ModelError(
                f"EarlyStopping: there is no number '{self.monitor}'; there are {', '.join(numbers)}"
            )
        signed = -float(value) if self.mode == "max" else float(value)
        return math.inf if math.isnan(signed) else signed
