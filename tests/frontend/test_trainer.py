"""The trainer: that it learns, what it tells, when it stops, and what one overrides."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from edgegen.errors import ModelError, UsageError
from edgegen.frontend import EarlyStopping, EpochRecord, StepRecord, Tensor, Trainer, functional, nn
from edgegen.frontend.data import ArrayDataset, Batch, DataLoader
from edgegen.frontend.metrics import Accuracy, ConfusionMatrix
from edgegen.frontend.optim import SGD, Updater, cosine
from edgegen.frontend.trainer import Callback, CsvLog, Outcome, ProgressBar, PrometheusFile


def blobs(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three well-separated clusters in the plane."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 90)
    centres = np.array([[3, 0], [-3, 0], [0, 4]])
    return (centres[labels] + rng.standard_normal((90, 2))).astype(np.float32), labels


def network() -> nn.Sequential:
    rng = np.random.default_rng(0)
    return nn.Sequential(nn.Linear(2, 8, rng=rng), nn.ReLU(), nn.Linear(8, 3, rng=rng))


def batches(seed: int = 0, size: int = 30) -> DataLoader:
    return DataLoader(ArrayDataset(*blobs(seed)), batch_size=size, shuffle=np.random.default_rng(seed))


def trainer(model: nn.Module, **options: object) -> Trainer:
    optimizer = SGD(model.parameters(), lr=0.1, momentum=0.9)
    return Trainer(model, optimizer, **{"progress": False, "metrics": (Accuracy(),), **options})  # type: ignore[arg-type]


def same(one: nn.Module, other: nn.Module) -> bool:
    first, second = one.state_dict(), other.state_dict()
    return all(first[name].tobytes() == second[name].tobytes() for name in first)


def test_it_learns_and_measures() -> None:
    model = network()
    history = trainer(model).fit(batches(), epochs=8, validation=batches(1))
    assert [record.epoch for record in history] == list(range(1, 9))
    assert history[-1].train["loss"] < history[0].train["loss"] / 2
    assert history[-1].values["val/accuracy"] > 0.9
    assert set(history[0].values) == {"train/loss", "train/accuracy", "val/loss", "val/accuracy"}
    assert not model.training


@pytest.mark.parametrize("accumulate", [1, 2])
def test_it_is_the_loop_written_by_hand(accumulate: int) -> None:
    ours, by_hand = network(), network()
    options = {"accumulate": accumulate, "clip_norm": 0.5, "schedule": cosine()}
    trainer(ours, **options).fit(batches(), epochs=3)
    updater = Updater(
        SGD(by_hand.parameters(), lr=0.1, momentum=0.9),
        total=3 * -(-3 // accumulate),
        **options,  # type: ignore[arg-type]
    )
    loader = batches()
    for _ in range(3):
        for inputs, targets in loader:
            updater.backward(functional.cross_entropy(by_hand(Tensor(inputs)), targets))
        updater.flush()
    assert same(ours, by_hand)


def test_epoch_values_are_means_over_samples() -> None:
    steps: list[StepRecord] = []

    class Watch(Callback):
        def on_step_end(self, trainer: Trainer, step: StepRecord) -> None:
            steps.append(step)

    (record,) = trainer(network(), callbacks=[Watch()]).fit(batches(size=40), epochs=1)
    assert [(s.epoch, s.batch, s.batches) for s in steps] == [(1, 1, 3), (1, 2, 3), (1, 3, 3)]
    for name in ("loss", "accuracy"):
        expected = sum(s.values[name] * n for s, n in zip(steps, (40, 40, 10), strict=True)) / 90
        assert record.train[name] == pytest.approx(expected)


def test_the_moments_in_order(tmp_path: Path) -> None:
    told: list[str] = []

    class Everything(Callback):
        def __getattribute__(self, name: str) -> object:
            if name.startswith("on_"):
                return lambda trainer, *details: told.append(name)
            return super().__getattribute__(name)

    path = tmp_path / "c.safetensors"
    trainer(network(), callbacks=[Everything()], checkpoint=path, checkpoint_every=2).fit(batches(), epochs=2)
    epoch = ["on_epoch_start", *["on_step_end"] * 3, "on_epoch_end"]
    assert told == ["on_fit_start", *epoch, *epoch, "on_checkpoint", "on_fit_end", "on_exit"]
    assert path.is_file()


def test_an_error_in_a_callback_ends_training_and_the_others_may_close() -> None:
    closed = []

    class Failing(Callback):
        def on_epoch_end(self, trainer: Trainer, record: EpochRecord) -> None:
            raise OverflowError

        def on_exit(self, trainer: Trainer) -> None:
            closed.append(trainer.epoch)

    with pytest.raises(OverflowError):
        trainer(network(), callbacks=[Failing()]).fit(batches(), epochs=2)
    assert closed == [1]


def test_a_callback_may_stop() -> None:
    class Enough(Callback):
        def on_epoch_end(self, trainer: Trainer, record: EpochRecord) -> None:
            if record.epoch == 2:
                trainer.stop()

    assert len(trainer(network(), callbacks=[Enough()]).fit(batches(), epochs=9)) == 2


def test_step_and_compute_are_overridden() -> None:
    class Autoencoder(Trainer):
        def compute(self, batch: Batch) -> Outcome:
            (inputs,) = batch
            outputs = self.forward(Tensor(inputs))
            return Outcome(functional.mse(outputs, inputs), outputs, inputs)

        def step(self, batch: Batch) -> dict[str, float]:
            return {**super().step(batch), "largest": float(batch[0].max())}

    model = nn.Linear(2, 2, rng=np.random.default_rng(0))
    loader = DataLoader(ArrayDataset(blobs()[0]), batch_size=30)
    made = Autoencoder(model, SGD(model.parameters(), lr=0.05), progress=False)
    history = made.fit(loader, epochs=5, validation=loader)
    assert history[-1].values["val/loss"] < history[0].values["val/loss"]
    assert "train/largest" in history[0].values


def test_averaged_weights_are_validated_and_left() -> None:
    model = network()
    made = trainer(model, average=0.9)
    validation = DataLoader(ArrayDataset(*blobs(1)), batch_size=30)
    history = made.fit(batches(), epochs=3, validation=validation)
    assert made.average is not None
    assert all((made.average.values[name] == p.data).all() for name, p in model.named_parameters())
    assert trainer(model).evaluate(validation) == history[-1].validation


def test_other_metrics_are_of_validation_only() -> None:
    made = trainer(network(), metrics=(Accuracy(), ConfusionMatrix(3)))
    (record,) = made.fit(batches(), epochs=1, validation=batches(1))
    assert "confusion_matrix" not in record.train
    assert np.sum(record.validation["confusion_matrix"]) == 90


# Early stopping -----------------------------------------------------------------------------------------


def history_of(*losses: float) -> list[EpochRecord]:
    return [EpochRecord(i, {}, {"loss": loss}, 1.0, 0.0) for i, loss in enumerate(losses, 1)]


@pytest.mark.parametrize(
    ("stopping", "losses", "best", "stops"),
    [
        (EarlyStopping(patience=2), (3, 2, 1), 3, False),
        (EarlyStopping(patience=2), (3, 1, 2), 2, False),
        (EarlyStopping(patience=2), (3, 1, 2, 1), 2, True),
        (EarlyStopping(patience=2, change=0.5), (3, 2.6, 2.4), 3, False),
        (EarlyStopping(patience=1, change=0.5), (3, 2.5), 1, True),
        (EarlyStopping(patience=2, mode="max"), (1, 3, 2, 2), 2, True),
        (EarlyStopping(patience=2), (float("nan"), 5, 6), 2, False),
        (EarlyStopping(patience=2), (), 0, False),
    ],
)
def test_the_decision(stopping: EarlyStopping, losses: tuple[float, ...], best: int, stops: bool) -> None:
    history = history_of(*losses)
    assert (stopping.best_epoch(history), stopping.stops(history)) == (best, stops)


def test_the_best_weights_are_left() -> None:
    model, kept = network(), []

    class Worse(Trainer):
        def evaluate(self, loader: DataLoader) -> dict[str, float]:
            kept.append(self.model.state_dict())
            return {"loss": [3, 1, 2, 4, 5][self.epoch]}

    made = Worse(
        model,
        SGD(model.parameters(), lr=0.1),
        early_stopping=EarlyStopping(patience=2),
        progress=False,
    )
    assert len(made.fit(batches(), epochs=5, validation=batches(1))) == 4
    assert all((model.state_dict()[name] == value).all() for name, value in kept[1].items())


def test_what_cannot_be_monitored() -> None:
    with pytest.raises(ModelError, match="no number 'val/loss'; there are train/loss, train/accuracy"):
        trainer(network(), early_stopping=EarlyStopping()).fit(batches(), epochs=1)
    with pytest.raises(ModelError, match="takes mode min or max"):
        EarlyStopping(mode="best")


# Callbacks that come with it ----------------------------------------------------------------------------


def test_a_csv_log(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    history = trainer(network(), callbacks=[CsvLog(path)]).fit(batches(), epochs=3, validation=batches(1))
    rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
    assert [row["epoch"] for row in rows] == ["1", "2", "3"]
    assert [float(row["val/loss"]) for row in rows] == [r.values["val/loss"] for r in history]
    assert [p.name for p in tmp_path.iterdir()] == ["log.csv"]


def test_a_file_for_prometheus(tmp_path: Path) -> None:
    path = tmp_path / "run.prom"
    made = trainer(
        network(),
        callbacks=[PrometheusFile(path, run='a "b"')],
        metrics=(Accuracy(), ConfusionMatrix(3)),
    )
    history = made.fit(batches(), epochs=2, validation=batches(1))
    lines = path.read_text(encoding="utf-8").splitlines()
    loss = history[-1].values["val/loss"]
    assert 'edgegen_epoch{run="a \\"b\\""} 2' in lines
    assert f'edgegen_training{{run="a \\"b\\"",name="val/loss"}} {loss!r}' in lines
    assert not any("confusion" in line for line in lines)
    with pytest.raises(UsageError, match="cannot write"):
        trainer(network(), callbacks=[PrometheusFile(tmp_path / "no" / "f", run="x")]).fit(
            batches(), epochs=1
        )


def test_progress_is_a_line_an_epoch_without_a_terminal() -> None:
    text = io.StringIO()
    bar = ProgressBar(Console(file=text, width=200))
    trainer(network(), callbacks=[bar]).fit(batches(), epochs=2, validation=batches(1))
    lines = text.getvalue().splitlines()
    assert len(lines) == 2 and lines[0].startswith("epoch 1 of 2: train/loss ")
    assert "val/accuracy" in lines[1]


def test_progress_is_a_bar_on_a_terminal() -> None:
    text = io.StringIO()
    bar = ProgressBar(Console(file=text, width=200, force_terminal=True))
    trainer(network(), callbacks=[bar]).fit(batches(), epochs=2)
    shown = text.getvalue()
    assert "6/6" in shown and "epoch 2 of 2: loss" in shown and "train/accuracy" in shown
    assert bar._progress is None


# Misuse -------------------------------------------------------------------------------------------------


def test_nothing_to_train_on() -> None:
    empty = DataLoader(ArrayDataset(*blobs()), batch_size=100, drop_last=True)
    with pytest.raises(ModelError, match="nothing to train on: 3 epochs of 0 batches"):
        trainer(network()).fit(empty, epochs=3)
    with pytest.raises(ModelError, match="the validation loader gives no batches"):
        trainer(network()).fit(batches(), epochs=1, validation=empty)


def test_misuse() -> None:
    with pytest.raises(ModelError, match="metrics take different names, got loss, accuracy, accuracy"):
        trainer(network(), metrics=(Accuracy(), Accuracy()))
    with pytest.raises(ModelError, match="checkpoint_every takes a positive number, got 0"):
        trainer(network(), checkpoint_every=0)
    with pytest.raises(ModelError, match=r"takes \(inputs, targets\), got 1 arrays; override compute\(\)"):
        trainer(network()).fit(DataLoader(ArrayDataset(blobs()[0]), batch_size=9), epochs=1)
    made = trainer(network())
    made.fit(batches(), epochs=1)
    with pytest.raises(UsageError, match="has trained already"):
        made.fit(batches(), epochs=1)
