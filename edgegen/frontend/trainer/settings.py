"""What a trainer is set to: recorded, and held against what a run was begun with before it goes on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from edgegen.errors import ModelError, problems
from edgegen.frontend.optim.optimizer import Optimizer
from edgegen.frontend.optim.schedule import constant

if TYPE_CHECKING:
    from edgegen.frontend.trainer.trainer import Trainer

KEPT_ELSEWHERE = ("groups", "steps", "slots")
"""Attributes of an optimiser that are no settings: its groups are told apart, the others are its state."""
SAMPLED = 8
"""Into so many parts training is divided to tell a schedule, which is a function, by its values."""


def settings(trainer: Trainer) -> dict[str, Any]:
    """As JSON values. A schedule depends on the number of epochs in all; without one, that may change."""
    updater, stopping = trainer.updater, trainer.early_stopping
    plain = {
        "optimizer": _optimizer(updater.optimizer),
        "schedule": [trainer.schedule(part / SAMPLED) for part in range(SAMPLED + 1)],
        "epochs": "any" if trainer.schedule is constant else trainer.epochs,
        "batches": trainer.batches,
        "batch_size": trainer.loaders["loader"].batch_size,
        "accumulate": updater.accumulate,
        "clip_norm": updater.clip_norm,
        "clip_value": updater.clip_value,
        "average": None if trainer.average is None else trainer.average.decay,
        "early_stopping": None if stopping is None else vars(stopping),
        "data": trainer.digest("loader"),
    }
    # Through JSON, so that what was just made compares with what was read.
    found: dict[str, Any] = json.loads(json.dumps(plain, default=str))
    return found


def check_settings(path: Path | str, own: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """ModelError, listing all differences, unless a run continues with what it began with."""
    ours, theirs = dict(flattened(own)), dict(flattened(found))
    differing = [
        f"{key}: takes {ours.get(key)!r}, the checkpoint has {theirs.get(key)!r}"
        for key in [*ours, *(key for key in theirs if key not in ours)]
        if ours.get(key) != theirs.get(key)
    ]
    if differing:
        raise ModelError(problems(f"{path}: the run was begun with other settings", differing))


def flattened(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested mappings by their paths, such as optimizer.groups.0.lr."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from flattened(inner, f"{path}.{key}" if path else str(key))
    else:
        yield path, value


def _optimizer(optimizer: Optimizer) -> dict[str, Any]:
    groups = {
        str(n): {"lr": g.lr, "weight_decay": g.weight_decay, "frozen": g.frozen}
        for n, g in enumerate(optimizer.groups)
    }
    own = {key: value for key, value in vars(optimizer).items() if key not in KEPT_ELSEWHERE}
    return {"kind": type(optimizer).__name__, **own, "groups": groups}
