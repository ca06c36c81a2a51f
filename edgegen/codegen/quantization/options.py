"""What can be chosen about quantisation."""

from __future__ import annotations

from dataclasses import dataclass

from edgegen.codegen.quantization.observers import OBSERVERS


@dataclass(frozen=True)
class QuantizeOptions:
    """`method` is minmax, percentile or mse; weights per output channel unless `per_channel` is off.

    Raises ValueError for a method or a percentile that does not exist.
    """

    method: str = "minmax"
    per_channel: bool = True
    percentile: float = 99.99

    def __post_init__(self) -> None:
        if self.method not in OBSERVERS:
            raise ValueError(f"method takes {', '.join(OBSERVERS)}, got {self.method!r}")
        if not isinstance(self.per_channel, bool):
            raise ValueError(f"per_channel takes true or false, got {self.per_channel!r}")
        if not 50.0 < self.percentile <= 100.0:
            raise ValueError(f"percentile takes a number above 50 and up to 100, got {self.percentile!r}")
