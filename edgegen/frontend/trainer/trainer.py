"""The trainer: the loop that one would write by hand, with what is tedious about it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError, ToolError, UsageError
from edgegen.frontend import functional as F  # noqa: N812
from edgegen.frontend.data.batches import Batch
from edgegen.frontend.data.digest import dataset_digest
from edgegen.frontend.data.loader import DataLoader
from edgegen.frontend.metrics.metric import Metric
from edgegen.frontend.mode import no_grad
from edgegen.frontend.nn.module import Module
from edgegen.frontend.optim.average import MovingAverage
from edgegen.frontend.optim.optimizer import Optimizer
from edgegen.frontend.optim.schedule import Schedule, constant
from edgegen.frontend.optim.updater import Updater
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Tensor
from edgegen.frontend.trainer.callbacks import Callback
from edgegen.frontend.trainer.history import EpochRecord, StepRecord
from edgegen.frontend.trainer.interruption import Interruption
from edgegen.frontend.trainer.progress import ProgressBar
from edgegen.frontend.trainer.resuming import generators_of, mark, restore, save
from edgegen.frontend.trainer.settings import settings
from edgegen.frontend.trainer.stopping import EarlyStopping


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a batch came to: its loss, and what metrics compare."""

    loss: Tensor
    outputs: Tensor
    targets: npt.NDArray[Any]


class Trainer:
    """Trains `model`: `fit` loops over epochs and batches and calls `step` for each batch.

    Override `compute` for batches or losses of another form, `step` for anything else; see them, they are
    short. `forward` maps inputs to what `loss` and `metrics` take, the model itself by default: a model that
    ends in softmax passes its logits here.

    `schedule`, `accumulate`, `clip_norm` and `clip_value` are those of `optim.Updater`. With `average`, the
    decay of an exponential moving average, validation and the final weights are those of the average.

    `checkpoint` is a file that is replaced every `checkpoint_every` epochs, after the last, and when Ctrl-C
    is pressed: at the end of the step, or in validation at once. A run resumed from it ends in the same
    weights, bit for bit; generators that neither modules nor loaders hold have to be named in `generators`
    for that.

    `progress` shows a bar. Whatever is shown, logged or recorded are `callbacks`; see `Callback`.
    """

    def __init__(
        self,
        model: Module,
        optimizer: Optimizer,
        *,
        loss: Callable[[Tensor, Any], Tensor] = F.cross_entropy,
        forward: Callable[[Tensor], Tensor] | None = None,
        metrics: Sequence[Metric] = (),
        schedule: Schedule = constant,
        accumulate: int = 1,
        clip_norm: float | None = None,
        clip_value: float | None = None,
        average: float | None = None,
        early_stopping: EarlyStopping | None = None,
        checkpoint: Path | str | None = None,
        checkpoint_every: int = 1,
        generators: Mapping[str, np.random.Generator] | None = None,
        callbacks: Sequence[Callback] = (),
        progress: bool = True,
    ) -> None:
        if checkpoint_every < 1:
            raise ModelError(f"Trainer: checkpoint_every takes a positive number, got {checkpoint_every}")
        names = ["loss", *(metric.name for metric in metrics)]
        if len(set(names)) != len(names):
            raise ModelError(f"Trainer: metrics take different names, got {', '.join(names)}")
        self.model, self.loss, self.forward, self.metrics = model, loss, forward or model, metrics
        self.average = None if average is None else MovingAverage(model, decay=average)
        self.updater = Updater(
            optimizer,
            accumulate=accumulate,
            clip_norm=clip_norm,
            clip_value=clip_value,
            average=self.average,
        )
        self.schedule, self.early_stopping = schedule, early_stopping
        self.checkpoint = None if checkpoint is None else Path(checkpoint)
        self.checkpoint_every, self.generators = checkpoint_every, dict(generators or {})
        self.all_generators: dict[str, np.random.Generator] = {}
        self.settings: dict[str, Any] = {}
        self.callbacks = [*([ProgressBar()] if progress else []), *callbacks]
        self.epochs = 0
        self.batches = 0
        self.epoch = 0
        self.history: list[EpochRecord] = []
        self.best: dict[str, Array] = {}
        self.sums: dict[str, float] = {}
        self.samples = 0
        self.position: dict[str, Any] = {}
        self.generator_states: dict[str, Any] = {}
        self.loaders: dict[str, DataLoader] = {}
        self.digests: dict[str, str | None] = {}
        self.seconds = 0.0
        self.resumed: Path | None = None
        self._stopping = False
        self._whole = True

    # What one overrides.

    def compute(self, batch: Batch) -> Outcome:
        """The outcome of a batch (inputs, targets), for training and validation alike."""
        if len(batch) != 2:
            raise ModelError(
                f"Trainer: a batch takes (inputs, targets), got {len(batch)} arrays; override compute() for "
                "batches of another form"
            )
        inputs, targets = batch
        outputs = self.forward(Tensor(inputs))
        return Outcome(self.loss(outputs, targets), outputs, targets)

    def step(self, batch: Batch) -> dict[str, float]:
        """Learn from one batch; gives values to show and to average over the epoch, the loss among them."""
        outcome = self.compute(batch)
        self.updater.backward(outcome.loss)
        shown = [metric for metric in self.metrics if metric.additive]
        return {
            "loss": float(outcome.loss),
            **{metric.name: metric.of(outcome.outputs.data, outcome.targets) for metric in shown},
        }

    def evaluate(self, loader: DataLoader) -> dict[str, Any]:
        """Mean loss over the samples and all metrics, in eval mode and with averaged weights if there are."""
        for metric in self.metrics:
            metric.reset()
        total, count = 0.0, 0
        with self.model.evaluating(), no_grad(), self._final_weights():
            for batch in loader:
                outcome = self.compute(batch)
                total += float(outcome.loss) * len(batch[0])
                count += len(batch[0])
                for metric in self.metrics:
                    metric.update(outcome.outputs.data, outcome.targets)
        if not count:
            raise ModelError("Trainer: the validation loader gives no batches")
        return {"loss": total / count, **{metric.name: metric.result() for metric in self.metrics}}

    # The loop.

    def fit(
        self,
        loader: DataLoader,
        *,
        epochs: int,
        validation: DataLoader | None = None,
        resume: Path | str | None = None,
    ) -> tuple[EpochRecord, ...]:
        """Train for `epochs` epochs in all and give the history.

        `resume` is a checkpoint from which to go on. KeyboardInterrupt is raised after Ctrl-C, when the
        checkpoint has been written. The model is left in eval mode.
        """
        if epochs < 1 or not len(loader):
            raise ModelError(f"Trainer: nothing to train on: {epochs} epochs of {len(loader)} batches")
        if resume is None and self.epoch:
            raise UsageError("Trainer: this one has trained already; make another, or pass resume=")
        self.epochs, self.batches = epochs, len(loader)
        self.loaders = {"loader": loader, **({"validation": validation} if validation else {})}
        self.updater.schedule = self.schedule
        self.updater.total = epochs * -(-len(loader) // self.updater.accumulate)
        self.all_generators = generators_of(self)
        self.settings = settings(self)
        if resume is not None:
            restore(self, resume)
            self.resumed = Path(resume)
        mark(self)
        with Interruption() as interruption:
            try:
                self._loop(loader, validation, interruption)
            except KeyboardInterrupt:
                self._interrupted()
                raise
            except ToolError as problem:
                # A worker process of a loader that Ctrl-C reached before it could ignore it.
                if not interruption.requested:
                    raise
                self._interrupted()
                raise KeyboardInterrupt from problem
            finally:
                self._tell("on_exit")
        return tuple(self.history)

    def stop(self) -> None:
        """End training after this epoch."""
        self._stopping = True

    def digest(self, name: str) -> str | None:
        """The hash of the data of a loader of this run: "loader" or "validation"."""
        if name not in self.digests:
            self.digests[name] = dataset_digest(self.loaders[name].dataset)
        return self.digests[name]

    @property
    def stopped(self) -> bool:
        """Whether no further epoch will be begun."""
        done = self.epoch >= self.epochs or self._stopping
        return done or (self.early_stopping is not None and self.early_stopping.stops(self.history))

    def _loop(self, loader: DataLoader, validation: DataLoader | None, interruption: Interruption) -> None:
        self._tell("on_fit_start")
        while not self.stopped:
            self._tell("on_epoch_start")
            mark(self)
            self._epoch(loader, interruption)
            with interruption.at_once():
                measured = {} if validation is None else self.evaluate(validation)
            self._end_epoch(measured)
            if interruption.requested:
                raise KeyboardInterrupt
        # From here on the model has other weights than those with which training would go on.
        self._whole = False
        if self.best:
            self.model.load_state_dict(self.best)
        elif self.average is not None:
            self.average.copy_to_module()
        self.model.eval()
        self._tell("on_fit_end")

    def _epoch(self, loader: DataLoader, interruption: Interruption) -> None:
        self.model.train()
        started, before = time.monotonic(), self.seconds
        for batch in loader:
            factor = self.updater.lr_factor
            self._whole = False
            values = self.step(batch)
            for name, value in values.items():
                self.sums[name] = self.sums.get(name, 0.0) + float(value) * len(batch[0])
            self.samples += len(batch[0])
            self.seconds = before + time.monotonic() - started
            mark(self)
            self._whole = True
            number = int(self.position["batch"])
            self._tell("on_step_end", StepRecord(self.epoch + 1, number, self.batches, values, factor))
            mark(self)
            if interruption.requested:
                raise KeyboardInterrupt
        self._whole = False
        self.updater.flush()
        self._whole = True

    def _end_epoch(self, validation: Mapping[str, Any]) -> None:
        train = {name: total / self.samples for name, total in self.sums.items()}
        factor = self.updater.lr_factor
        self._whole = False
        self.epoch += 1
        self.history.append(EpochRecord(self.epoch, train, validation, factor, self.seconds))
        self.sums, self.samples, self.seconds = {}, 0, 0.0
        mark(self)
        stopping = self.early_stopping
        if stopping and stopping.restore_best and stopping.best_epoch(self.history) == self.epoch:
            with self._final_weights():
                self.best = self.model.state_dict()
        self._whole = True
        self._tell("on_epoch_end", self.history[-1])
        mark(self)
        if self.checkpoint and (self.epoch % self.checkpoint_every == 0 or self.stopped):
            self._save(self.checkpoint)

    def _save(self, path: Path) -> None:
        save(self, path)
        self._tell("on_checkpoint", path)

    def _interrupted(self) -> None:
        """Save what can be resumed: not what an interruption in the middle of a step left behind."""
        if self.checkpoint is not None and self._whole:
            self._save(self.checkpoint)
        kept = self.checkpoint if self.checkpoint is not None and self.checkpoint.is_file() else None
        self._tell("on_interrupt", kept)

    def _final_weights(self) -> AbstractContextManager[None]:
        return nullcontext() if self.average is None else self.average.averaged()

    def _tell(self, moment: str, *details: object) -> None:
        for callback in self.callbacks:
            getattr(callback, moment)(self, *details)
