"""Callbacks: what is called when, and two examples, a CSV log and a file for Prometheus."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from edgegen.frontend.files import write_whole
from edgegen.frontend.trainer.history import EpochRecord, StepRecord

if TYPE_CHECKING:
    from edgegen.frontend.trainer.trainer import Trainer


class Callback:
    """Subclass it and define what you need. The moments, in order:

    * `on_fit_start`: before the first step; a resumed run has its state already.
    * `on_epoch_start`: before the first batch of an epoch; `trainer.epoch` epochs are done. Of a resumed
      epoch, before its next batch.
    * `on_step_end`: a batch was learnt from, and the weights moved unless gradients are being accumulated.
    * `on_epoch_end`: after validation; the record is the last of `trainer.history`.
    * `on_checkpoint`: the file was written.
    * `on_interrupt`: Ctrl-C; the file from which the run can be resumed, None if there is none.
    * `on_fit_end`: all epochs are done or early stopping came; the model has its final weights.
    * `on_exit`: last of all, however training ended, errors included: close here what you opened.

    An exception in a callback ends training and is not caught. `trainer.stop()` ends it after the epoch.
    """

    def on_fit_start(self, trainer: Trainer) -> None:
        """Before the first step."""

    def on_epoch_start(self, trainer: Trainer) -> None:
        """Before the first batch of an epoch."""

    def on_step_end(self, trainer: Trainer, step: StepRecord) -> None:
        """After each batch."""

    def on_epoch_end(self, trainer: Trainer, record: EpochRecord) -> None:
        """After validation."""

    def on_checkpoint(self, trainer: Trainer, path: Path) -> None:
        """After a checkpoint was written."""

    def on_interrupt(self, trainer: Trainer, path: Path | None) -> None:
        """Before the interruption goes on as KeyboardInterrupt."""

    def on_fit_end(self, trainer: Trainer) -> None:
        """Training is complete."""

    def on_exit(self, trainer: Trainer) -> None:
        """However training ended."""


class CsvLog(Callback):
    """One line an epoch in a CSV file, written anew each time, so that a resumed run has no line twice."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)

    def on_epoch_end(self, trainer: Trainer, record: EpochRecord) -> None:
        rows = [
            {"epoch": r.epoch, "lr_factor": r.lr_factor, "seconds": f"{r.seconds:.3f}", **r.values}
            for r in trainer.history
        ]
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_whole(self.path, text.getvalue().encode())


class PrometheusFile(Callback):
    """Gauges in the text format of Prometheus, for the node exporter's textfile collector (name it *.prom).

    `edgegen_epoch` and `edgegen_training{run="...",name="val/loss"}`, replaced at the end of each epoch.
    """

    def __init__(self, path: Path | str, *, run: str) -> None:
        self.path, self.run = Path(path), run

    def on_epoch_end(self, trainer: Trainer, record: EpochRecord) -> None:
        run = _escaped(self.run)
        lines = [
            "# HELP edgegen_epoch Epochs of training done.",
            "# TYPE edgegen_epoch gauge",
            f'edgegen_epoch{{run="{run}"}} {record.epoch}',
            "# HELP edgegen_training Values of the last epoch of training.",
            "# TYPE edgegen_training gauge",
        ]
        lines += [
            f'edgegen_training{{run="{run}",name="{_escaped(name)}"}} {float(value)!r}'
            for name, value in record.values.items()
            if isinstance(value, int | float)
        ]
        write_whole(self.path, ("\n".join(lines) + "\n").encode())


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
