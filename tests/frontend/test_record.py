"""The recorder: what a run's folder holds at every moment, comparing runs, and conditions on them."""

from __future__ import annotations

import json
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from edgegen import __version__
from edgegen.errors import UsageError
from edgegen.frontend import Callback, EpochRecord, StepRecord, Trainer, nn, weights
from edgegen.frontend.data import ArrayDataset, DataLoader, Subset, dataset_digest
from edgegen.frontend.metrics import Accuracy, ConfusionMatrix
from edgegen.frontend.optim import SGD
from edgegen.frontend.record import (
    Recorder,
    Run,
    check,
    differences,
    parse_condition,
    read_run,
)

X = np.random.default_rng(0).standard_normal((20, 3)).astype(np.float32)
Y = np.arange(20) % 2


def run(folder: Path, *callbacks: Callback, lr: float = 0.1, resume: bool = False) -> nn.Module:
    rng = np.random.default_rng(4)
    model = nn.Sequential(nn.Linear(3, 2, rng=rng))
    recorder = Recorder(folder, hyperparameters={"note": "größer"}, seeds={"all": 4})
    trainer = Trainer(
        model,
        SGD(model.parameters(), lr=lr),
        metrics=(Accuracy(), ConfusionMatrix(2)),
        checkpoint=recorder.checkpoint,
        callbacks=[*callbacks, recorder],
        progress=False,
    )
    loader = DataLoader(ArrayDataset(X, Y), batch_size=5, shuffle=rng)
    validation = DataLoader(ArrayDataset(X[:8], Y[:8]), batch_size=8)
    trainer.fit(loader, epochs=3, validation=validation, resume=recorder.checkpoint if resume else None)
    return model


class At(Callback):
    """Does something after a step, and notes the status before."""

    def __init__(self, step: int, folder: Path, error: type[BaseException] | None) -> None:
        self.left, self.folder, self.error = step, folder, error

    def on_step_end(self, trainer: Trainer, step: StepRecord) -> None:
        self.left -= 1
        if not self.left:
            assert read_run(self.folder).status == "running"
            if self.error is not None:
                raise self.error
            signal.raise_signal(signal.SIGINT)


def test_a_complete_run(tmp_path: Path) -> None:
    model = run(tmp_path / "runs" / "one")
    folder = tmp_path / "runs" / "one"
    assert sorted(p.name for p in folder.iterdir()) == [
        "checkpoint.safetensors",
        "optimizer.safetensors",
        "run.json",
        "weights.safetensors",
    ]
    found = read_run(folder)
    assert (found.name, found.status, found.seeds) == ("one", "complete", {"all": 4})
    assert found.hyperparameters["note"] == "größer"
    assert found.hyperparameters["optimizer"]["kind"] == "SGD"
    assert found.hyperparameters["optimizer"]["groups"]["0"]["lr"] == 0.1
    assert (found.hyperparameters["epochs"], found.hyperparameters["batch_size"]) == (3, 5)
    assert "data" not in found.hyperparameters
    assert found.structure["tensors"] == {"0.weight": [2, 3], "0.bias": [2]}
    assert found.structure["parameters"] == 8 and "Linear" in found.structure["model"][1]
    assert found.data["loader"] == {"samples": 20, "digest": dataset_digest(ArrayDataset(X, Y))}
    assert found.data["validation"]["samples"] == 8
    assert found.versions["edgegen"] == __version__ and found.versions["numpy"] == np.__version__
    assert [epoch["epoch"] for epoch in found.epochs] == [1, 2, 3]
    assert np.sum(found.epochs[0]["val/confusion_matrix"]) == 8
    loaded = nn.Sequential(nn.Linear(3, 2, rng=np.random.default_rng(0)))
    weights.load(folder / "weights.safetensors", loaded)
    assert all((loaded.state_dict()[n] == a).all() for n, a in model.state_dict().items())
    assert "größer" in (folder / "run.json").read_text(encoding="utf-8")
    assert read_run(folder / "run.json") == found


def test_an_interrupted_run_and_its_end(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "broken", At(6, tmp_path / "broken", None))
    found = read_run(tmp_path / "broken")
    assert found.status == "interrupted" and len(found.epochs) == 1
    run(tmp_path / "broken", resume=True)
    run(tmp_path / "whole")
    ended, whole = read_run(tmp_path / "broken"), read_run(tmp_path / "whole")
    assert differences(ended, whole) == []
    assert ended.status == "complete" and len(ended.epochs) == 3
    for name in ("weights", "optimizer"):
        files = [tmp_path / folder / f"{name}.safetensors" for folder in ("broken", "whole")]
        assert files[0].read_bytes() == files[1].read_bytes()


def test_a_run_that_failed(tmp_path: Path) -> None:
    with pytest.raises(OverflowError):
        run(tmp_path, At(6, tmp_path, OverflowError))
    assert read_run(tmp_path).status == "failed"


def test_a_run_is_not_written_over(tmp_path: Path) -> None:
    run(tmp_path)
    before = (tmp_path / "run.json").read_bytes()
    with pytest.raises(UsageError, match="holds a run already; resume it, or choose another folder"):
        run(tmp_path)
    assert (tmp_path / "run.json").read_bytes() == before
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match="cannot make the folder"):
        Recorder(tmp_path / "file")


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"format": 1}', '{"format": 1, "epochs": 3}', "\ufeff"])
def test_records_that_are_none(content: str, tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(content, encoding="utf-8")
    with pytest.raises(UsageError, match="not the record of a run, or damaged"):
        read_run(tmp_path)
    (tmp_path / "run.json").write_text('{"format": 2}', encoding="utf-8")
    with pytest.raises(UsageError, match="written by another version"):
        read_run(tmp_path)
    with pytest.raises(UsageError, match=r"there is no run in .*: it holds no run.json"):
        read_run(tmp_path / "none.json")


# Hashes of data -----------------------------------------------------------------------------------------


def test_the_hash_of_a_data_set() -> None:
    digest = dataset_digest(ArrayDataset(X, Y))
    assert digest == dataset_digest(ArrayDataset(np.asfortranarray(X), Y.copy()))
    changed = X.copy()
    changed[3, 1] += 1
    others = [
        ArrayDataset(changed, Y),
        ArrayDataset(X.astype(np.float64), Y),
        ArrayDataset(X.reshape(20, 3, 1), Y),
        Subset(ArrayDataset(X, Y), range(20)),
        Subset(ArrayDataset(X, Y), range(19)),
    ]
    assert len({digest, *map(dataset_digest, others)}) == 6

    class Own:
        def __len__(self) -> int:
            return 1

        def __getitem__(self, index: int) -> tuple[int]:
            return (index,)

    assert dataset_digest(Own()) is None
    assert dataset_digest(Subset(Own(), [0])) is None

    class Known(Own):
        def digest(self) -> str:
            return "v2"

    assert dataset_digest(Known()) == "v2"


# Conditions ---------------------------------------------------------------------------------------------


def with_values(*values: object, name: str = "val/accuracy") -> Run:
    epochs = tuple({"epoch": i, name: value} for i, value in enumerate(values, 1))
    return Run("r", "complete", {}, {}, {}, {}, {}, epochs)


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("val/accuracy@2 >= 0.9", 0.9, True),
        ("val/accuracy@2>0.9", 0.9, False),
        ("val/accuracy >= 0.8", 0.7, False),
        (" val/accuracy@last < .8 ", 0.7, True),
        ("val/accuracy@max >= 9e-1", 0.9, True),
        ("val/accuracy@min <= 0.5", 0.5, True),
        ("val/accuracy@1 == 0.5", 0.5, True),
        ("val/accuracy@1 != 0.5", 0.5, False),
    ],
)
def test_conditions(text: str, value: float, holds: bool) -> None:
    verdict = check(with_values(0.5, 0.9, 0.7), parse_condition(text))
    assert (verdict.value, verdict.holds) == (value, holds)


@pytest.mark.parametrize("at", ["last", "min", "max", "2"])
@pytest.mark.parametrize("comparison", [">=", "<=", ">", "<", "=="])
def test_no_number_holds_no_condition(at: str, comparison: str) -> None:
    assert not check(
        with_values(0.5, float("nan")), parse_condition(f"val/accuracy@{at} {comparison} 0")
    ).holds


@pytest.mark.parametrize(
    "text",
    ["", "val/accuracy", "val/accuracy >= ", "val/accuracy => 1", "a@b >= 1", "a >= b", "a >= 1 2", "@1 > 2"],
)
def test_conditions_that_are_none(text: str) -> None:
    with pytest.raises(UsageError, match=r"takes NAME\[@EPOCH\] OPERATOR NUMBER"):
        parse_condition(text)


def test_values_that_a_run_does_not_have() -> None:
    with pytest.raises(UsageError, match="run 'r' has no number val/f1; it has val/accuracy"):
        check(with_values(0.5), parse_condition("val/f1 > 0"))
    with pytest.raises(UsageError, match="has no number val/accuracy; it has no epochs"):
        check(with_values(), parse_condition("val/accuracy > 0"))
    with pytest.raises(UsageError, match="has no number val/accuracy"):
        check(with_values([[1]]), parse_condition("val/accuracy > 0"))
    with pytest.raises(UsageError, match="run 'r' has the epochs 1 to 2, and is complete"):
        check(with_values(0.5, 0.6), parse_condition("val/accuracy@100 > 0"))


# Differences --------------------------------------------------------------------------------------------


def test_what_differs(tmp_path: Path) -> None:
    run(tmp_path / "a")
    run(tmp_path / "b", lr=0.2)
    first, second = read_run(tmp_path / "a"), read_run(tmp_path / "b")
    found = {d.path: (d.first, d.second) for d in differences(first, second)}
    assert found["hyperparameters.optimizer.groups.0.lr"] == (0.1, 0.2)
    assert "last.train/loss" in found and not any("seconds" in path or path == "name" for path in found)
    assert differences(first, first) == []
    fewer = replace(first, seeds={})
    assert [(d.path, d.first, d.second) for d in differences(first, fewer)] == [("seeds.all", 4, None)]
    nan = with_values(float("nan"))
    assert differences(nan, with_values(float("nan"))) == []
    assert json.loads(json.dumps(found))


def test_epoch_values_of_the_history(tmp_path: Path) -> None:
    class Watch(Callback):
        records: tuple[EpochRecord, ...] = ()

        def on_fit_end(self, trainer: Trainer) -> None:
            self.records = tuple(trainer.history)

    watch = Watch()
    run(tmp_path, watch)
    for record, epoch in zip(watch.records, read_run(tmp_path).epochs, strict=True):
        assert {name: epoch[name] for name in record.values} == record.values
