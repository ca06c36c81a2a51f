"""A checkpoint: everything that the rest of a run depends on, in one safetensors file, whole or not at all.

Tensors are named PART/NAME; the other values are JSON in the metadata, under "edgegen".
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend import weights
from edgegen.frontend.nn.module import Module
from edgegen.frontend.tape import Array

FORMAT = 1
PARTS = ("model", "optimizer", "updater", "average", "best")


@dataclass(frozen=True)
class RunState:
    """Where a run is, apart from its arrays.

    `epoch` epochs are done; of the next one, `sums` and `samples` are what was counted so far, and `loader`
    the position. `settings` must be the same in the run that continues.
    """

    settings: Mapping[str, Any]
    epoch: int
    sums: Mapping[str, float]
    samples: int
    seconds: float
    history: tuple[Mapping[str, Any], ...]
    loader: Mapping[str, Any]
    generators: Mapping[str, Any]


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run and its arrays by part and name; a part may be empty."""

    state: RunState
    arrays: Mapping[str, Mapping[str, Array]]


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint in place of the one before. UsageError if that cannot be done."""
    arrays = {f"{part}/{name}": a for part, named in checkpoint.arrays.items() for name, a in named.items()}
    text = json.dumps({"format": FORMAT, **asdict(checkpoint.state)})
    weights.save(path, arrays, metadata={"edgegen": text})


def read_checkpoint(path: Path | str) -> Checkpoint:
    """A checkpoint. UsageError if there is none, ModelError if it is damaged or something else."""
    arrays, metadata = weights.read_with_metadata(path)
    try:
        values = json.loads(metadata["edgegen"])
        if values.pop("format") != FORMAT:
            raise ModelError(f"{path}: a checkpoint of another version of edgegen")
        state = RunState(**{**values, "history": tuple(values["history"])})
    except (KeyError, ValueError, TypeError, AttributeError) as problem:
        raise ModelError(f"{path}: not a checkpoint of edgegen") from problem
    parts: dict[str, dict[str, Array]] = {part: {} for part in PARTS}
    for name, array in arrays.items():
        part, _, rest = name.partition("/")
        if part not in parts:
            raise ModelError(f"{path}: not a checkpoint of edgegen: it holds '{name}'")
        parts[part][rest] = array
    return Checkpoint(state, parts)


def generators_in(model: Module) -> Iterator[tuple[str, np.random.Generator]]:
    """The random generators that modules hold, by their paths."""
    for path, module in model.named_modules():
        for name, value in vars(module).items():
            if isinstance(value, np.random.Generator):
                yield f"model.{path}.{name}" if path else f"model.{name}", value
