"""The digits example as committed: its data, its weights, and that training repeats itself."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import numpy as np

import edgegen
from edgegen.frontend import evaluate, trace, weights

FOLDER = Path(edgegen.__file__).parent / "examples" / "mnist"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"mnist_{name}", FOLDER / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DATA, MODEL = load("data"), load("model")


def test_the_data_is_as_described() -> None:
    parts = {"training": (DATA.training(), 400), "evaluation": (DATA.evaluation(), 100)}
    for (images, labels), each in parts.values():
        assert images.shape == (each * 10, 28, 28, 1) and images.dtype == np.float32
        assert images.min() == 0 and images.max() == 1
        assert np.bincount(labels).tolist() == [each] * 10
    assert DATA.FILE.stat().st_size < 1_100_000


def test_nothing_held_out_is_trained_on_or_calibrated_with() -> None:
    held_out = {image.tobytes() for image in DATA.evaluation()[0]}
    train = {image.tobytes() for image in DATA.training()[0]}
    calibration = {image.tobytes() for image in DATA.calibration()}
    assert not held_out & train
    assert calibration and calibration <= train


def test_the_configuration_names_what_is_there() -> None:
    config = tomllib.loads((FOLDER / "edgegen.toml").read_text(encoding="utf-8"))
    assert config["model"]["name"] == "mnist"
    for file in (config["model"]["source"], config["model"]["weights"], config["data"]["source"]):
        assert (FOLDER / file).is_file()
    sample = np.zeros((1, *config["model"]["input_shape"]), np.float32)
    found = trace(MODEL.model(), sample)
    assert found.outputs[0].shape == (1, 10)
    assert {"conv2d", "batch_norm", "relu", "relu6", "add", "max_pool2d", "softmax"} <= {
        r.op for r in found.tape
    }


def test_the_network_is_small() -> None:
    found = trace(MODEL.model(), np.zeros((1, 28, 28, 1), np.float32))
    macs = sum(
        tensor.size * int(np.prod(tensor.record.inputs[1].shape[1:]))
        for tensor in found.tape.tensors
        if tensor.record is not None and tensor.record.op in ("conv2d", "fully_connected")
    )
    assert macs == 465_144
    assert MODEL.model().parameter_count() == 15_226


def test_the_committed_weights_reach_their_accuracy() -> None:
    digits = MODEL.model()
    weights.load(FOLDER / "weights.safetensors", digits)
    result = evaluate(digits, *DATA.evaluation(), loss=None)
    assert result.count == 1000
    assert result.accuracy >= 0.98


def test_training_repeats_itself_and_learns(tmp_path: Path) -> None:
    outputs = [tmp_path / name for name in ("one", "two")]
    for output in outputs:
        command = [
            sys.executable,
            str(FOLDER / "train.py"),
            "--epochs",
            "1",
            "--seed",
            "5",
            "--output",
            str(output),
            "--runs",
            str(tmp_path / "runs"),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    digits = MODEL.model()
    weights.load(outputs[0], digits)
    assert evaluate(digits, *DATA.evaluation(), loss=None).accuracy > 0.8
