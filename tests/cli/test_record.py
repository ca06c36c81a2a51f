"""`edgegen record`, with the status that each answer ends with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edgegen.frontend.record import Run
from tests.cli.command_line import CommandLine

MISMATCH, USAGE = 6, 2


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Two runs, a and b."""
    for name, lr, accuracy in (("a", 0.1, 0.95), ("b", 0.2, 0.98)):
        epochs = ({"epoch": 1, "val/accuracy": 0.5, "val/m": [[1]]}, {"epoch": 2, "val/accuracy": accuracy})
        (tmp_path / name).mkdir()
        data = {"loader": {"samples": 2000, "digest": "sha256:00"}}
        Run(
            name,
            "complete",
            {"model": ["Net", "  0: Linear"], "parameters": 1234},
            {"lr": lr},
            {"all": 3},
            data,
            {"edgegen": "0.1"},
            epochs,
        ).write(tmp_path / name)
    return tmp_path


def test_show(runs: Path, edgegen: CommandLine) -> None:
    ran = edgegen("record", "show", "a")
    assert ran.status == 0
    for text in (
        "a: complete, 1,234 parameters",
        "0: Linear",
        "2,000 samples, sha256:00",
        "0.95",
        "lr",
        "all",
    ):
        assert text in ran.out
    assert json.loads(edgegen("record", "show", "a", "--json").out)["epochs"][1]["val/accuracy"] == 0.95
    assert "there is no run in" in edgegen.fails(USAGE, "record", "show", "c")


def test_diff(runs: Path, edgegen: CommandLine) -> None:
    ran = edgegen("record", "diff", "a", "b")
    assert ran.status == 0 and "hyperparameters.lr" in ran.out and "0.98" in ran.out
    assert "seeds" not in ran.out
    found = json.loads(edgegen("record", "diff", "a", "b", "--json").out)
    assert {"path": "hyperparameters.lr", "first": 0.1, "second": 0.2} in found
    assert edgegen("record", "diff", "a", "a").out == "no differences\n"
    assert json.loads(edgegen("record", "diff", "a", "a", "--json").out) == []


def test_check(runs: Path, edgegen: CommandLine) -> None:
    ran = edgegen("record", "check", "b", "val/accuracy@2 >= 0.97", "val/accuracy@1 < 0.6")
    assert (ran.status, ran.out.splitlines()[0]) == (0, "val/accuracy@2 >= 0.97: holds, it is 0.98")
    message = edgegen.fails(MISMATCH, "record", "check", "a", "val/accuracy >= 0.97", "val/accuracy@1 > 0.9")
    assert "val/accuracy >= 0.97: it is 0.95" in message and "val/accuracy@1 > 0.9: it is 0.5" in message
    assert edgegen("record", "check", "b", "val/accuracy > 0", "--quiet").out == ""


def test_check_as_json(runs: Path, edgegen: CommandLine) -> None:
    ran = edgegen("record", "check", "a", "val/accuracy >= 0.97", "--json")
    assert ran.status == MISMATCH
    (verdict,) = json.loads(ran.out)
    assert (verdict["name"], verdict["value"], verdict["holds"]) == ("val/accuracy", 0.95, False)


def test_check_of_what_is_not_there(runs: Path, edgegen: CommandLine) -> None:
    assert "has the epochs 1 to 2" in edgegen.fails(USAGE, "record", "check", "a", "val/accuracy@100 >= 0.97")
    assert "has no number val/f1" in edgegen.fails(USAGE, "record", "check", "a", "val/f1 >= 0.97")
    assert "takes NAME[@EPOCH]" in edgegen.fails(USAGE, "record", "check", "a", "accurate")


@pytest.mark.parametrize("command", ["show", "diff", "check"])
def test_help_shows_an_example(command: str, edgegen: CommandLine) -> None:
    ran = edgegen("record", command, "--help")
    assert ran.status == 0 and f"edgegen record {command}" in ran.out
