"""Interrupting training anywhere and going on: the same weights as without it, bit for bit."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from edgegen.errors import EdgegenError, ModelError, UsageError
from edgegen.frontend import Callback, EarlyStopping, EpochRecord, StepRecord, Trainer, nn, weights
from edgegen.frontend.data import ArrayDataset, Augment, Batch, DataLoader, Noise
from edgegen.frontend.metrics import Accuracy
from edgegen.frontend.optim import SGD, AdamW, constant, cosine
from edgegen.frontend.trainer import Outcome
from edgegen.frontend.trainer.checkpoint import read_checkpoint

EPOCHS, BATCHES = 3, 5


class Run:
    """One run with everything in it that has a state."""

    def __init__(
        self, path: Path | None, *, workers: int = 0, shared: bool = True, **options: object
    ) -> None:
        rng = np.random.default_rng(0)
        data, other = np.random.default_rng(1), rng if shared else np.random.default_rng(2)
        labels = data.integers(0, 3, 18)
        inputs = (data.standard_normal((18, 4)) + labels[:, np.newaxis]).astype(np.float32)
        self.model = nn.Sequential(
            nn.Linear(4, 8, rng=rng),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.Dropout(0.3, rng=rng),
            nn.Linear(8, 3, rng=rng),
        )
        self.loader = DataLoader(
            ArrayDataset(inputs, labels),
            batch_size=4,
            shuffle=other,
            augment=Augment(Noise(0.1)),
            workers=workers,
        )
        self.validation = DataLoader(ArrayDataset(inputs, labels), batch_size=7)
        self.options = {
            "schedule": cosine(),
            "accumulate": 2,
            "clip_norm": 1.0,
            "average": 0.9,
            "early_stopping": EarlyStopping("val/accuracy", patience=9, mode="max"),
            "checkpoint": path,
            "metrics": (Accuracy(),),
            "progress": False,
            **options,
        }

    def trainer(self, kind: type[Trainer] = Trainer, *callbacks: Callback) -> Trainer:
        optimizer = AdamW(self.model.parameters(), lr=0.05)
        return kind(self.model, optimizer, callbacks=callbacks, **self.options)  # type: ignore[arg-type]

    def fit(self, made: Trainer, resume: Path | None = None, epochs: int = EPOCHS) -> None:
        made.fit(self.loader, epochs=epochs, validation=self.validation, resume=resume)


def outcome(run: Run, made: Trainer) -> tuple[object, ...]:
    """All that must be the same: weights, history, state of the generators."""
    state = {name: array.tobytes() for name, array in run.model.state_dict().items()}
    records = [(r.epoch, r.train, r.validation, r.lr_factor) for r in made.history]
    assert run.loader.shuffle is not None
    return state, records, run.loader.shuffle.bit_generator.state


def uninterrupted(**options: object) -> tuple[object, ...]:
    run = Run(None, **options)  # type: ignore[arg-type]
    made = run.trainer()
    run.fit(made)
    return outcome(run, made)


class InterruptAtStep(Callback):
    """Presses Ctrl-C after so many steps of a run."""

    def __init__(self, steps: int) -> None:
        self.left, self.kept = steps, [Path("none")]

    def on_step_end(self, trainer: Trainer, step: StepRecord) -> None:
        self.left -= 1
        if not self.left:
            signal.raise_signal(signal.SIGINT)

    def on_interrupt(self, trainer: Trainer, path: Path | None) -> None:
        assert path is not None
        self.kept = [path]


EXPECTED = uninterrupted()


@pytest.mark.parametrize("stop", range(1, EPOCHS * BATCHES + 1))
def test_interrupted_after_any_step(stop: int, tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    broken, at = Run(path), InterruptAtStep(stop)
    with pytest.raises(KeyboardInterrupt):
        broken.fit(broken.trainer(Trainer, at))
    assert at.kept == [path] and [p.name for p in tmp_path.iterdir()] == [path.name]
    resumed = Run(path)
    made = resumed.trainer()
    resumed.fit(made, resume=path)
    assert outcome(resumed, made) == EXPECTED


@pytest.mark.parametrize("shared", [True, False])
def test_interrupted_again_and_again_with_workers(shared: bool, tmp_path: Path) -> None:
    path, resume = tmp_path / "run.safetensors", None
    for _ in range(5):
        run = Run(path, workers=2, shared=shared)
        with pytest.raises(KeyboardInterrupt):
            run.fit(run.trainer(Trainer, InterruptAtStep(2)), resume=resume)
        assert not [t for t in threading.enumerate() if t.name.startswith("edgegen-loader")]
        resume = path
    last = Run(path, shared=shared)
    made = last.trainer()
    last.fit(made, resume=path)
    assert outcome(last, made) == uninterrupted(shared=shared)


class InterruptedSamples(ArrayDataset):
    """Presses Ctrl-C twice when so many batches were taken: while a batch is being made."""

    left = -1

    def take(self, indices: np.ndarray) -> tuple[np.ndarray, ...]:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt
        return super().take(indices)


@pytest.mark.parametrize("batch", range(1, EPOCHS * BATCHES + 1))
def test_interrupted_while_a_batch_is_made(batch: int, tmp_path: Path) -> None:
    """Also where the batch draws from the very generator of the order and of dropout."""

    def run(path: Path | None, batch: int) -> Run:
        made = Run(path)
        dataset = made.loader.dataset
        assert isinstance(dataset, ArrayDataset) and made.loader.shuffle is not None
        rng = made.loader.shuffle
        made.loader.dataset = InterruptedSamples(*dataset.arrays)
        made.loader.dataset.left = batch
        made.loader.augment = None
        made.loader.transform = lambda b: (b[0] + rng.standard_normal(b[0].shape, np.float32), b[1])
        return made

    whole, path = run(None, -1), tmp_path / "run.safetensors"
    reference = whole.trainer()
    whole.fit(reference)
    broken = run(path, batch)
    with pytest.raises(KeyboardInterrupt):
        broken.fit(broken.trainer())
    resumed = run(path, -1)
    made = resumed.trainer()
    resumed.fit(made, resume=path)
    assert outcome(resumed, made) == outcome(whole, reference)


@pytest.mark.skipif(os.name == "nt", reason="there are no groups of processes there")
@pytest.mark.parametrize("delay", [0.0, 0.3, 0.6])
def test_interrupted_with_worker_processes(delay: float, tmp_path: Path) -> None:
    """Ctrl-C on a terminal reaches the workers too: while they start, and while they wait for work."""
    code = f"""
import os, signal, sys, threading, time
from pathlib import Path
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from tests.frontend.test_resuming import Run
from edgegen.frontend import Callback, Trainer

class Press(Callback):
    def on_epoch_start(self, trainer):
        if trainer.epoch == 1:
            threading.Timer({delay}, os.killpg, (0, signal.SIGINT)).start()
    def on_step_end(self, trainer, step):
        if step.epoch >= 2:
            time.sleep(0.1)

if __name__ == "__main__":
    run = Run(Path("run.safetensors"), workers=1)
    run.loader.processes = True
    try:
        run.fit(run.trainer(Trainer, Press()))
    except KeyboardInterrupt:
        sys.exit(130)
"""
    script = tmp_path / "script.py"
    script.write_text(code, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
        timeout=60,
    )
    assert done.returncode == 130, done.stderr
    resumed = Run(None)
    made = resumed.trainer()
    resumed.fit(made, resume=tmp_path / "run.safetensors")
    assert outcome(resumed, made) == EXPECTED


@pytest.mark.parametrize("epoch", range(1, EPOCHS + 1))
def test_interrupted_at_the_end_of_any_epoch(epoch: int, tmp_path: Path) -> None:
    class Interrupt(Callback):
        def on_epoch_end(self, trainer: Trainer, record: EpochRecord) -> None:
            if record.epoch == epoch:
                signal.raise_signal(signal.SIGINT)

    path = tmp_path / "run.safetensors"
    broken, resumed = Run(path), Run(path)
    with pytest.raises(KeyboardInterrupt):
        broken.fit(broken.trainer(Trainer, Interrupt()))
    made = resumed.trainer()
    resumed.fit(made, resume=path)
    assert outcome(resumed, made) == EXPECTED


class InTheMiddle(Trainer):
    """Presses Ctrl-C while it computes: in a step, or in validation."""

    at, presses, validating, computed = 7, 1, False, 0

    def compute(self, batch: Batch) -> Outcome:
        found = super().compute(batch)
        if self.model.training is not self.validating:
            self.computed += 1
            if self.computed == self.at:
                for _ in range(self.presses):
                    signal.raise_signal(signal.SIGINT)
        return found


@pytest.mark.parametrize("validating", [False, True])
@pytest.mark.parametrize("presses", [1, 2])
def test_interrupted_inside_a_step_or_validation(validating: bool, presses: int, tmp_path: Path) -> None:
    class Kind(InTheMiddle):
        pass

    Kind.validating, Kind.presses, Kind.at = validating, presses, 4 if validating else 7
    path = tmp_path / "run.safetensors"
    broken, resumed = Run(path), Run(path)
    stopped = broken.trainer(Kind)
    assert isinstance(stopped, Kind)
    with pytest.raises(KeyboardInterrupt):
        broken.fit(stopped)
    assert stopped.computed == Kind.at
    made = resumed.trainer()
    resumed.fit(made, resume=path)
    assert outcome(resumed, made) == EXPECTED


def test_a_second_ctrl_c_in_the_first_step_saves_nothing(tmp_path: Path) -> None:
    class Kind(InTheMiddle):
        at, presses = 1, 2

    run = Run(tmp_path / "run.safetensors")
    with pytest.raises(KeyboardInterrupt):
        run.fit(run.trainer(Kind))
    assert not list(tmp_path.iterdir())


def test_the_handler_of_ctrl_c_is_put_back(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGINT)
    run = Run(tmp_path / "run.safetensors")
    with pytest.raises(KeyboardInterrupt):
        run.fit(run.trainer(Trainer, InterruptAtStep(1)))
    assert signal.getsignal(signal.SIGINT) is before


def test_training_in_another_thread() -> None:
    run = Run(None)
    made = run.trainer()
    thread = threading.Thread(target=run.fit, args=(made,))
    thread.start()
    thread.join()
    assert outcome(run, made) == EXPECTED


def test_a_finished_run_resumes_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    for resume in (None, path):
        run = Run(path)
        made = run.trainer()
        run.fit(made, resume=resume)
        assert outcome(run, made) == EXPECTED


def test_interrupted_at_the_very_end_the_weights_to_go_on_with_are_kept(tmp_path: Path) -> None:
    class Interrupt(Callback):
        def on_fit_end(self, trainer: Trainer) -> None:
            raise KeyboardInterrupt

    path = tmp_path / "run.safetensors"
    options: dict[str, object] = {"schedule": constant}
    whole, first, second = Run(None, **options), Run(path, **options), Run(path, **options)  # type: ignore[arg-type]
    reference = whole.trainer()
    whole.fit(reference, epochs=4)
    with pytest.raises(KeyboardInterrupt):
        first.fit(first.trainer(Trainer, Interrupt()))
    made = second.trainer()
    second.fit(made, resume=path, epochs=4)
    assert outcome(second, made) == outcome(whole, reference)


def test_more_epochs_without_a_schedule(tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    options: dict[str, object] = {"schedule": constant}
    whole, first, second = Run(None, **options), Run(path, **options), Run(path, **options)  # type: ignore[arg-type]
    reference = whole.trainer()
    whole.fit(reference, epochs=4)
    first.fit(first.trainer(), epochs=2)
    made = second.trainer()
    second.fit(made, resume=path, epochs=4)
    assert outcome(second, made) == outcome(whole, reference)


def test_early_stopping_decides_the_same_after_resuming(tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    stopping = EarlyStopping("train/loss", patience=1, mode="max")  # stops after the second epoch
    whole, broken, resumed = (Run(p, early_stopping=stopping) for p in (None, path, path))
    reference = whole.trainer()
    whole.fit(reference)
    with pytest.raises(KeyboardInterrupt):
        broken.fit(broken.trainer(Trainer, InterruptAtStep(BATCHES + 2)))
    made = resumed.trainer()
    resumed.fit(made, resume=path)
    assert len(made.history) == 2
    assert outcome(resumed, made) == outcome(whole, reference)


# What is not resumed from -------------------------------------------------------------------------------


def checkpointed(tmp_path: Path) -> Path:
    path = tmp_path / "run.safetensors"
    run = Run(path)
    with pytest.raises(KeyboardInterrupt):
        run.fit(run.trainer(Trainer, InterruptAtStep(1)))
    return path


def test_a_run_of_another_making_is_refused_with_all_differences(tmp_path: Path) -> None:
    path = checkpointed(tmp_path)
    stopping = EarlyStopping("val/accuracy", patience=8, mode="max")
    run = Run(path, accumulate=1, clip_norm=None, early_stopping=stopping)
    made = Trainer(run.model, SGD(run.model.parameters(), lr=1), **run.options)  # type: ignore[arg-type]
    with pytest.raises(ModelError) as caught:
        run.fit(made, resume=path, epochs=4)
    for text in (
        "accumulate: takes 1, the checkpoint has 2",
        "clip_norm: takes None, the checkpoint has 1.0",
        "epochs: takes 4, the checkpoint has 3",
        "optimizer.kind: takes 'SGD', the checkpoint has 'AdamW'",
        "optimizer.betas: takes None, the checkpoint has [0.9, 0.999]",
        "optimizer.groups.0.lr: takes 1.0, the checkpoint has 0.05",
        "early_stopping.patience: takes 8, the checkpoint has 9",
    ):
        assert text in str(caught.value)


def test_another_schedule_is_refused(tmp_path: Path) -> None:
    run = Run(None, schedule=cosine(end=0.1))
    with pytest.raises(ModelError, match=r"schedule: takes \[1.0, .*0.1\], the checkpoint has .*0.0\]"):
        run.fit(run.trainer(), resume=checkpointed(tmp_path))


def test_a_rate_that_a_callback_changed_is_resumed(tmp_path: Path) -> None:
    class Slower(Callback):
        def on_epoch_end(self, trainer: Trainer, record: EpochRecord) -> None:
            optimizer = trainer.updater.optimizer
            optimizer.change_group(0, lr=optimizer.groups[0].lr / 2)

    path = tmp_path / "run.safetensors"
    whole, broken, resumed = Run(None), Run(path), Run(path)
    reference = whole.trainer(Trainer, Slower())
    whole.fit(reference)
    with pytest.raises(KeyboardInterrupt):
        broken.fit(broken.trainer(Trainer, Slower(), InterruptAtStep(BATCHES + 2)))
    made = resumed.trainer(Trainer, Slower())
    resumed.fit(made, resume=path)
    assert made.updater.optimizer.groups[0].lr == 0.05 / 8
    assert outcome(resumed, made) == outcome(whole, reference)


def test_a_run_on_other_data_is_refused(tmp_path: Path) -> None:
    run = Run(None)
    assert isinstance(run.loader.dataset, ArrayDataset)
    inputs, labels = run.loader.dataset.arrays
    run.loader.dataset = ArrayDataset(inputs, labels[::-1].copy())
    with pytest.raises(ModelError, match=r"data: takes 'sha256:\w+', the checkpoint has 'sha256:\w+'"):
        run.fit(run.trainer(), resume=checkpointed(tmp_path))


def test_another_model_or_other_generators(tmp_path: Path) -> None:
    path = checkpointed(tmp_path)
    run = Run(path)
    run.model = nn.Sequential(nn.Linear(4, 3, rng=np.random.default_rng(0)))
    with pytest.raises(ModelError, match=r"generators loader.shuffle, model.3.rng, this one has loader"):
        run.fit(run.trainer(), resume=path)
    run = Run(path, generators={"own": np.random.default_rng(0)})
    with pytest.raises(ModelError, match=r"this one has loader.shuffle, model.3.rng, own"):
        run.fit(run.trainer(), resume=path)


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        (lambda path: path.unlink(), UsageError, "cannot read the weights"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), ModelError, "not a sound safetensors file"),
        (lambda path: weights.save(path, {"a": np.ones(1)}), ModelError, "not a checkpoint of edgegen"),
        (
            lambda path: weights.save(path, {"a": np.ones(1)}, metadata={"edgegen": '{"format": 2}'}),
            ModelError,
            "of another version",
        ),
        (
            lambda path: weights.save(path, {"a": np.ones(1)}, metadata={"edgegen": '{"format": 1}'}),
            ModelError,
            "not a checkpoint of edgegen",
        ),
    ],
)
def test_files_that_are_none(
    change: Callable[[Path], None], kind: type[EdgegenError], message: str, tmp_path: Path
) -> None:
    path = checkpointed(tmp_path)
    change(path)
    run = Run(path)
    with pytest.raises(kind, match=message):
        run.fit(run.trainer(), resume=path)


def test_what_a_checkpoint_holds(tmp_path: Path) -> None:
    found = read_checkpoint(checkpointed(tmp_path))
    assert found.state.epoch == 0 and found.state.loader["batch"] == 1
    assert found.arrays["model"].keys() == Run(None).model.state_dict().keys()
    assert int(found.arrays["updater"]["pending"]) == 1
    assert any(name.startswith("gradient.") for name in found.arrays["updater"])
