"""The recorder: a callback of the trainer that keeps a run in a folder."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from edgegen import __version__
from edgegen.errors import UsageError
from edgegen.frontend import weights
from edgegen.frontend.nn.module import Module
from edgegen.frontend.record.run import CHECKPOINT_FILE, OPTIMIZER_FILE, RUN_FILE, WEIGHTS_FILE, Run
from edgegen.frontend.trainer.callbacks import Callback
from edgegen.frontend.trainer.history import EpochRecord
from edgegen.frontend.trainer.trainer import Trainer


class Recorder(Callback):
    """Keeps a run in `folder`: run.json at the start and after each epoch, in the end weights and optimiser.

    `hyperparameters` and `seeds` are recorded as they are, beside what the trainer itself is set to. Give the
    trainer `checkpoint=recorder.checkpoint` to keep what the run can be resumed from in the same folder. A
    folder that holds a run already is refused, unless the trainer resumes.
    """

    def __init__(
        self,
        folder: Path | str,
        *,
        name: str = "",
        hyperparameters: Mapping[str, Any] | None = None,
        seeds: Mapping[str, int] | None = None,
    ) -> None:
        self.folder = Path(folder)
        self.name = name or self.folder.name
        self.hyperparameters, self.seeds = dict(hyperparameters or {}), dict(seeds or {})
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise UsageError(f"cannot make the folder {self.folder}: {problem.strerror}") from problem
        self.run: Run | None = None

    @property
    def checkpoint(self) -> Path:
        """The place of the trainer's checkpoint."""
        return self.folder / CHECKPOINT_FILE

    def on_fit_start(self, trainer: Trainer) -> None:
        if (self.folder / RUN_FILE).exists() and trainer.resumed is None:
            raise UsageError(f"{self.folder} holds a run already; resume it, or choose another folder")
        self.run = Run(
            name=self.name,
            status="running",
            structure=_structure(trainer.model),
            hyperparameters={**_settings(trainer), **self.hyperparameters},
            seeds=self.seeds,
            data={
                name: {"samples": len(loader.dataset), "digest": trainer.digest(name)}
                for name, loader in trainer.loaders.items()
            },
            versions=_versions(),
            epochs=_epochs(trainer),
        )
        self.run.write(self.folder)

    def on_epoch_end(self, trainer: Trainer, record: EpochRecord) -> None:
        self._update("running", trainer)

    def on_interrupt(self, trainer: Trainer, path: Path | None) -> None:
        self._update("interrupted", trainer)

    def on_fit_end(self, trainer: Trainer) -> None:
        weights.save(self.folder / WEIGHTS_FILE, trainer.model)
        weights.save(self.folder / OPTIMIZER_FILE, trainer.updater.optimizer.state_dict())
        self._update("complete", trainer)

    def on_exit(self, trainer: Trainer) -> None:
        if self.run is not None and self.run.status == "running":
            self._update("failed", trainer)

    def _update(self, status: str, trainer: Trainer) -> None:
        if self.run is not None:
            self.run = replace(self.run, status=status, epochs=_epochs(trainer))
            self.run.write(self.folder)


def _structure(model: Module) -> dict[str, Any]:
    return {
        "model": repr(model).splitlines(),
        "tensors": {name: list(array.shape) for name, array in model.state_dict().items()},
        "parameters": model.parameter_count(),
    }


def _settings(trainer: Trainer) -> dict[str, Any]:
    # The hash of the data is told beside its size.
    own = {name: value for name, value in trainer.settings.items() if name != "data"}
    return {**own, "epochs": trainer.epochs}


def _versions() -> dict[str, str]:
    return {
        "edgegen": __version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
    }


def _epochs(trainer: Trainer) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"epoch": r.epoch, "lr_factor": r.lr_factor, "seconds": round(r.seconds, 3), **r.values}
        for r in trainer.history
    )
