"""Running commands in this process, and small models in Python to run them on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from edgegen.cli import main
from edgegen.frontend import weights as weight_files

MODEL = """
import numpy as np
from edgegen.frontend import nn

def model():
    rng = np.random.default_rng(0)
    return nn.Sequential(
        conv=nn.Conv2d(1, 4, 3, padding="same", rng=rng),
        relu=nn.ReLU(),
        flatten=nn.Flatten(),
        classify=nn.Linear(4 * 6 * 6, 3, rng=rng),
    )
"""
DATA = """
import numpy as np

def _images(count):
    return np.random.default_rng(1).random((count, 6, 6, 1), np.float32)

def calibration():
    return _images(20)

def evaluation():
    return _images(30), np.arange(30) % 3
"""
CONFIG = """
[model]
name = "tiny"
source = "model.py"
weights = "weights.safetensors"
input_shape = [6, 6, 1]

[data]
source = "data.py"
"""


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it said where."""

    status: int
    out: str
    err: str


class CommandLine:
    """Runs `edgegen` in the current folder of the test."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> Ran:
        self._capsys.readouterr()
        status = main([str(argument) for argument in arguments])
        said = self._capsys.readouterr()
        return Ran(status, said.out, said.err)

    def fails(self, status: int, *arguments: str | Path) -> str:
        """Run what must fail with a status; returns the message: one, on standard error, no traceback."""
        ran = self(*arguments)
        assert ran.status == status, ran
        assert ran.out == ""
        assert ran.err.count("error: ") == 1 or ran.err.startswith("Usage:")
        assert "Traceback" not in ran.err
        assert "defect" not in ran.err
        return ran.err


def tiny_weights() -> dict[str, np.ndarray]:
    """Weights by name for MODEL."""
    rng = np.random.default_rng(5)
    shapes = {
        "conv.weight": (4, 3, 3, 1),
        "conv.bias": (4,),
        "classify.weight": (3, 144),
        "classify.bias": (3,),
    }
    return {name: (rng.normal(size=shape) * 0.3).astype(np.float32) for name, shape in shapes.items()}


def write_tiny(folder: Path, **texts: str) -> Path:
    """A model folder; `model`, `data` and `config` replace the usual texts."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.py").write_text(texts.get("model", MODEL), encoding="utf-8")
    (folder / "data.py").write_text(texts.get("data", DATA), encoding="utf-8")
    (folder / "edgegen.toml").write_text(texts.get("config", CONFIG), encoding="utf-8")
    weight_files.save(folder / "weights.safetensors", tiny_weights())
    return folder


def everything(folder: Path) -> Mapping[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }
