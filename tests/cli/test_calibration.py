"""A float .tflite and its calibration set, on the command line."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from edgegen.codegen import passes
from edgegen.codegen.export.tflite import write_tflite
from edgegen.codegen.quantization.pipeline import FLOAT_PASSES
from edgegen.frontend import nn
from edgegen.frontend.freeze import freeze
from tests.cli.command_line import CommandLine


@pytest.fixture
def floats(tmp_path: Path) -> Path:
    """float.tflite, and typical inputs for it."""
    rng = np.random.default_rng(0)
    net = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding="same", rng=rng), nn.ReLU(), nn.GlobalAvgPool(), nn.Linear(4, 3, rng=rng)
    )
    net.eval()
    graph = passes.run(freeze(net, np.zeros((1, 8, 8, 1), np.float32), name="float"), FLOAT_PASSES)
    (tmp_path / "float.tflite").write_bytes(write_tflite(graph))
    samples = rng.normal(size=(20, 8, 8, 1)).astype(np.float32)
    np.save(tmp_path / "x.npy", samples)
    np.save(tmp_path / "batched.npy", samples[:, np.newaxis])
    np.savez(tmp_path / "x.npz", input=samples)
    return tmp_path


@pytest.mark.parametrize("name", ["x.npy", "batched.npy", "x.npz"])
def test_a_float_model_becomes_firmware(name: str, floats: Path, edgegen: CommandLine) -> None:
    built = edgegen("build", "float.tflite", "--target", "host", "--calibration", name, "--quiet")
    assert built.status == 0, built.err
    proven = edgegen("verify", "float.tflite", "--target", "host", "--vectors", "20", "--against", "tflm")
    assert proven.status == 0, proven.err
    assert edgegen("export", "float.tflite", "--calibration", name, "-o", f"{name}.tflite").status == 0
    again = edgegen("build", f"{name}.tflite", "--target", "host", "--calibration", name)
    assert again.status == 2 and "quantised already" in again.err


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "damaged"),
        (b"\x93NUMPY\x01\x00", "no .npy or .npz"),
        (b"PK\x03\x04garbage", "damaged"),
        (None, "cannot be read"),
        (np.zeros((4, 7, 8, 1), np.float32), r"samples take the shape \[8, 8, 1\]"),
        (np.zeros((0, 8, 8, 1), np.float32), "is empty"),
        (np.full((2, 8, 8, 1), np.nan, np.float32), "NaN"),
        (np.full((2, 8, 8, 1), "x"), "must be numbers"),
    ],
)
def test_calibration_sets_that_cannot_be_used(
    content: bytes | np.ndarray | None, text: str, floats: Path, edgegen: CommandLine
) -> None:
    bad = floats / "bad.npy"
    if isinstance(content, bytes):
        bad.write_bytes(content)
    elif content is not None:
        np.save(bad, content)
    ran = edgegen("build", "float.tflite", "--target", "host", "--calibration", "bad.npy")
    assert ran.status in (2, 3)
    assert "Traceback" not in ran.err and re.search(text, ran.err), ran.err
    assert not (floats / "build").exists()


def test_without_a_calibration_set_it_says_what_to_do(floats: Path, edgegen: CommandLine) -> None:
    ran = edgegen("build", "float.tflite", "--target", "host")
    assert ran.status == 3 and "--calibration samples.npy" in ran.err
    ran = edgegen("build", "--target", "host", "--calibration", "x.npy")
    assert ran.status == 2 and "its own calibration" in ran.err
    np.savez(floats / "two.npz", a=np.zeros(2), b=np.zeros(2))
    ran = edgegen("build", "float.tflite", "--target", "host", "--calibration", "two.npz")
    assert ran.status == 2 and "2 arrays, the model has 1 inputs: input" in ran.err
