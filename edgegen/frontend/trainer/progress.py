"""What training shows: a bar on a terminal, a line an epoch elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from edgegen.frontend.trainer.callbacks import Callback
from edgegen.frontend.trainer.history import EpochRecord, StepRecord

if TYPE_CHECKING:
    from edgegen.frontend.trainer.trainer import Trainer


class ProgressBar(Callback):
    """A bar over all batches of the run with the latest values, and one line for each finished epoch.

    On a console that is no terminal, the lines only.
    """

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(stderr=True, highlight=False, soft_wrap=True)
        self._progress: Progress | None = None
        self._task = TaskID(0)

    def on_fit_start(self, trainer: Trainer) -> None:
        if self.console.is_terminal:
            columns = (
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
            )
            self._progress = Progress(*columns, console=self.console, transient=True)
            total = trainer.epochs * trainer.batches
            self._task = self._progress.add_task("training", total=total)
            self._progress.start()

    def on_step_end(self, trainer: Trainer, step: StepRecord) -> None:
        if self._progress is not None:
            text = ", ".join(f"{name} {value:.4g}" for name, value in step.values.items())
            self._progress.update(
                self._task,
                completed=(step.epoch - 1) * step.batches + step.batch,
                description=f"epoch {step.epoch} of {trainer.epochs}: {text}",
            )

    def on_epoch_end(self, trainer: Trainer, record: EpochRecord) -> None:
        numbers = {n: v for n, v in record.values.items() if isinstance(v, int | float)}
        text = ", ".join(f"{name} {value:.4g}" for name, value in numbers.items())
        self.console.print(f"epoch {record.epoch} of {trainer.epochs}: {text} ({record.seconds:.1f} s)")

    def on_interrupt(self, trainer: Trainer, path: Path | None) -> None:
        kept = f"resume from {path}" if path else "nothing was saved, since no checkpoint= is set"
        self.console.print(f"interrupted in epoch {trainer.epoch + 1}; {kept}", markup=False)

    def on_exit(self, trainer: Trainer) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
