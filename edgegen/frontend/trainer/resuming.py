"""Saving a trainer and putting another one where it was."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.generators import generator_state, set_generator_state
from edgegen.frontend.state import check_state
from edgegen.frontend.trainer.checkpoint import (
    Checkpoint,
    RunState,
    generators_in,
    read_checkpoint,
    write_checkpoint,
)
from edgegen.frontend.trainer.history import EpochRecord
from edgegen.frontend.trainer.settings import check_settings

if TYPE_CHECKING:
    from edgegen.frontend.trainer.trainer import Trainer


def mark(trainer: Trainer) -> None:
    """Note the position of the loader and the generators, between two steps.

    What is saved is what was noted: an interruption may come while a batch is made, which draws already.
    """
    trainer.position = trainer.loaders["loader"].state_dict()
    trainer.generator_states = {name: generator_state(rng) for name, rng in trainer.all_generators.items()}


def save(trainer: Trainer, path: Path) -> None:
    """Write everything that the rest of the run depends on."""
    state = RunState(
        settings=trainer.settings,
        epoch=trainer.epoch,
        sums=trainer.sums,
        samples=trainer.samples,
        seconds=trainer.seconds,
        history=tuple(record.plain() for record in trainer.history),
        loader=trainer.position,
        generators=trainer.generator_states,
    )
    arrays = {
        "model": trainer.model.state_dict(),
        "optimizer": trainer.updater.optimizer.state_dict(),
        "updater": trainer.updater.state_dict(),
        "average": {} if trainer.average is None else trainer.average.state_dict(),
        "best": trainer.best,
    }
    write_checkpoint(path, Checkpoint(state, arrays))


def restore(trainer: Trainer, path: Path | str) -> None:
    """Put a trainer where the one was that wrote the checkpoint.

    ModelError, naming what differs, if it is not of the same making; the trainer is then of no further use.
    """
    checkpoint = read_checkpoint(path)
    state, arrays, origin = checkpoint.state, checkpoint.arrays, str(path)
    check_settings(path, trainer.settings, state.settings)
    generators = trainer.all_generators
    if generators.keys() != state.generators.keys():
        raise ModelError(
            f"{path}: the run used the generators {_listed(state.generators)}, this one has "
            f"{_listed(generators)}"
        )
    trainer.model.load_state_dict(arrays["model"], origin=origin, finite=False)
    trainer.updater.optimizer.load_state_dict(arrays["optimizer"], origin=origin)
    trainer.updater.load_state_dict(arrays["updater"], origin=origin)
    if trainer.average is not None:
        trainer.average.load_state_dict(arrays["average"], origin=origin)
    if arrays["best"]:
        check_state(trainer.model.state_dict(), arrays["best"], origin=origin, finite=False)
    trainer.best = dict(arrays["best"])
    for name, rng in generators.items():
        set_generator_state(rng, state.generators[name])
    trainer.loaders["loader"].load_state_dict(state.loader)
    trainer.epoch, trainer.samples, trainer.seconds = state.epoch, state.samples, state.seconds
    trainer.sums = dict(state.sums)
    trainer.history = [EpochRecord.from_plain(values) for values in state.history]


def generators_of(trainer: Trainer) -> dict[str, np.random.Generator]:
    """All generators that a run draws from: those of modules, of loaders, and those that were named."""
    found = dict(generators_in(trainer.model))
    for name, loader in trainer.loaders.items():
        found |= {f"{name}.{key}": rng for key, rng in _of_loader(loader) if rng is not None}
    return {**found, **trainer.generators}


def _of_loader(loader: Any) -> tuple[tuple[str, np.random.Generator | None], ...]:
    return ("shuffle", loader.shuffle), ("rng", loader.rng)


def _listed(names: Any) -> str:
    return ", ".join(sorted(names)) or "none"
