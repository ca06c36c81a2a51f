"""Bad input: one message, the right exit status, no traceback, nothing half-written."""

from __future__ import annotations

import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from edgegen.frontend import weights as weight_files
from tests.cli.command_line import (
    CONFIG,
    DATA,
    MODEL,
    CommandLine,
    everything,
    tiny_weights,
    write_tiny,
)

USAGE, MODEL_STATUS, BUDGET, TOOL = 2, 3, 4, 5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("nonsense", "No such command"),
        ("build --nonsense", "No such option"),
        ("build --target cortex-m5", "did you mean cortex-m4?"),
        ("build nothing.tflite", "there is no model nothing.tflite"),
        ("build nothing", "there is no model nothing"),
        ("build --flash 10Q", "--flash: expected bytes such as 65536, 64K or 1M, got '10Q'"),
        ("build --stack 900K", "does not fit in 131072 bytes of RAM"),
        ("build --optimize warp", "unknown mode 'warp'; one of: balanced, speed, size, ram"),
        ("build --compiler tcc", "unknown compiler 'tcc'; one of: zig, gcc"),
        ("build --board none", "unknown board of target cortex-m4"),
        ("verify --target host", "there is no project"),
        ("verify --emulator bochs", "there is no project"),
        ("verify --against onnx", "unknown runtime 'onnx' to compare with; one of: tflm, litert"),
        ("run --input x.npy --output y.npy", "x.npy cannot be read"),
        ("run --output y.npy", "Missing option"),
        ("flash --target host", "has nothing to flash"),
        ("flash --target cortex-m4", "there is no project"),
        ("flash --protocol smoke", "cannot be flashed by 'smoke'"),
        ("export --format onnx", "unknown format 'onnx'; one of: tflite"),
        ("train nothing", "there is no"),
        ("eval nothing.tflite", "there is no model"),
        ("inspect nothing.tflite", "nothing.tflite cannot be read"),
    ],
)
def test_usage(arguments: str, words: str, edgegen: CommandLine, tmp_path: Path) -> None:
    message = edgegen.fails(USAGE, *arguments.split())
    assert words in message
    assert list(tmp_path.iterdir()) == []


# Models ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("def (", "is not Python: invalid syntax (model.py, line 1)"),
        ("x = '\x00'", "is not Python: source code string cannot contain null bytes"),
        ("x = 1", "defines no function model()"),
        ("import nothing_of_this_name", "failed at model.py:1: ModuleNotFoundError: No module named"),
        ("def model():\n    raise RuntimeError('boom [bold]')", "model() of model.py failed at model.py:2: "),
        ("def model():\n    return 3", "must return an edgegen Module, got int"),
        ("def model(size):\n    return size", "TypeError: model() missing 1 required positional argument"),
        ("raise SystemExit(0)", "SystemExit"),
    ],
)
def test_a_model_that_is_none(model: str, words: str, edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path, model=model)
    before = everything(tmp_path)
    message = edgegen.fails(MODEL_STATUS, "build", "--target", "host")
    assert words in message.replace(str(tmp_path) + os.sep, "")
    assert everything(tmp_path) == before


def test_a_forward_that_raises(edgegen: CommandLine, tmp_path: Path) -> None:
    model = (
        MODEL
        + """
class Broken(nn.Module):
    def __init__(self):
        self.inner = model_()

    def forward(self, x):
        return self.inner(x) / undefined_name

model_ = model

def model():
    return Broken()
"""
    )
    write_tiny(tmp_path, model=model, config=CONFIG.replace('weights = "weights.safetensors"\n', ""))
    message = edgegen.fails(MODEL_STATUS, "build", "--target", "host")
    assert "raised NameError" in message
    assert "model.py:19" in message


def test_everything_unsupported_is_listed_at_once(edgegen: CommandLine, tmp_path: Path) -> None:
    model = MODEL.replace("flatten=nn.Flatten(),", "flatten=nn.Flatten(),\n        odd=Odd(),").replace(
        "def model():",
        "from edgegen.frontend import functional\n\n"
        "class Odd(nn.Module):\n"
        "    def forward(self, x):\n"
        "        return functional.power(x, 3.0) + functional.div(x, x + 2.0)\n\n"
        "def model():",
    )
    write_tiny(tmp_path, model=model)
    message = edgegen.fails(MODEL_STATUS, "build", "--target", "host")
    assert message.count("\n  - ") >= 2
    assert "model.py:9" in message


def test_a_python_file_alone_lacks_two_things(edgegen: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "lonely.py").write_text("x = 1", encoding="utf-8")
    message = edgegen.fails(MODEL_STATUS, "build", "lonely.py")
    assert "no function model()" in message
    assert "no INPUT_SHAPE" in message


@pytest.mark.parametrize("content", [b"", b"hello", b"\x1c\x00\x00\x00TFL3" + bytes(40)])
def test_tflite_files_that_are_none(content: bytes, edgegen: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "bad.tflite").write_bytes(content)
    assert "bad" in edgegen.fails(MODEL_STATUS, "build", "bad.tflite", "--target", "host")
    assert [file.name for file in tmp_path.iterdir()] == ["bad.tflite"]


def test_files_of_no_known_kind(edgegen: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"x")
    (tmp_path / "empty").mkdir()
    assert "is no model: expected a .tflite file" in edgegen.fails(USAGE, "build", "model.onnx")
    assert "holds no edgegen.toml" in edgegen.fails(USAGE, "build", "empty")


# edgegen.toml ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ("[model", ["is not valid TOML"]),
        ("\x80", ["edgegen.toml"]),
        ("", ["[model] name is missing", "[model] source is missing", "[data] source is missing"]),
        (CONFIG + "[zip]\nx = 1\n", ["unknown table [zip]"]),
        (CONFIG.replace("weights", "wieghts"), ["unknown key wieghts in [model]"]),
        (CONFIG.replace("[6, 6, 1]", '"6x6"'), ["input_shape takes a list of positive integers, got '6x6'"]),
        (CONFIG.replace("[6, 6, 1]", "[6, 0]"), ["input_shape takes a list of positive integers"]),
        (CONFIG + '[quantize]\nmethod = "magic"\n', ["[quantize]: method takes minmax"]),
        (CONFIG.replace('"model.py"', '"nothing.py"'), ["there is no file"]),
        (CONFIG.replace('"data.py"', '"nothing.py"'), ["there is no file"]),
        (CONFIG.replace('"model.py"', "3"), ["[model] source takes text, got 3"]),
        (CONFIG.replace('name = "tiny"', "name = [1]"), ["[model] name takes text, got [1]"]),
        ("model = 3\n", ["[model] must be a table"]),
    ],
)
def test_configurations(config: str, words: list[str], edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    (tmp_path / "edgegen.toml").write_bytes(config.encode("latin-1"))
    before = everything(tmp_path)
    message = edgegen.fails(USAGE, "build", "--target", "host")
    assert [text for text in words if text not in message] == []
    assert everything(tmp_path) == before


# Weights -----------------------------------------------------------------------------------------------


def build_with(edgegen: CommandLine, folder: Path, content: bytes) -> str:
    write_tiny(folder)
    (folder / "weights.safetensors").write_bytes(content)
    before = everything(folder)
    message = edgegen.fails(MODEL_STATUS, "build", "--target", "host")
    assert everything(folder) == before
    return message


def safetensors_file(header: dict[str, object], data: bytes) -> bytes:
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_missing_surplus_and_misshaped_weights_at_once(edgegen: CommandLine, tmp_path: Path) -> None:
    weights = tiny_weights()
    weights["conv.wieght"] = weights.pop("conv.weight")
    weights["classify.bias"] = weights["classify.bias"][:2]
    weights["classify.weight"] = weights["classify.weight"].astype(np.int32)
    write_tiny(tmp_path)
    weight_files.save(tmp_path / "weights.safetensors", weights)
    message = edgegen.fails(MODEL_STATUS, "build", "--target", "host")
    for text in ("conv.weight", "conv.wieght", "classify.bias", "(3,)", "(2,)", "classify.weight"):
        assert text in message


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_no_numbers(value: float, edgegen: CommandLine, tmp_path: Path) -> None:
    weights = tiny_weights()
    weights["conv.bias"][2] = value
    write_tiny(tmp_path)
    weight_files.save(tmp_path / "weights.safetensors", weights)
    assert "conv.bias" in edgegen.fails(MODEL_STATUS, "build", "--target", "host")


def test_truncated_weights(edgegen: CommandLine, tmp_path: Path) -> None:
    whole = (write_tiny(tmp_path / "whole") / "weights.safetensors").read_bytes()
    for size in (0, 5, 40, len(whole) - 1):
        assert "not a sound safetensors file" in build_with(edgegen, tmp_path, whole[:size])


@pytest.mark.parametrize("offsets", [[0, 10**12], [8, 4], [-4, 12], [0, 12]])
def test_lying_offsets(offsets: list[int], edgegen: CommandLine, tmp_path: Path) -> None:
    header = {"conv.bias": {"dtype": "F32", "shape": [4], "data_offsets": offsets}}
    assert "weights.safetensors" in build_with(edgegen, tmp_path, safetensors_file(header, bytes(16)))


@pytest.mark.parametrize("kind", ["F16", "BF16"])
def test_half_precision_weights_load(kind: str, edgegen: CommandLine, tmp_path: Path) -> None:
    header, data = {}, b""
    for name, array in tiny_weights().items():
        half = array.astype(np.float16) if kind == "F16" else (array.view(np.uint32) >> 16).astype(np.uint16)
        header[name] = {
            "dtype": kind,
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + half.nbytes],
        }
        data += half.tobytes()
    write_tiny(tmp_path)
    (tmp_path / "weights.safetensors").write_bytes(safetensors_file(header, data))
    assert edgegen("export", "--output", "out.tflite").status == 0


def test_no_weights_file(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    (tmp_path / "weights.safetensors").unlink()
    assert "cannot read the weights" in edgegen.fails(USAGE, "build", "--target", "host")


# Data --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (DATA.replace("_images(20)", "_images(0)"), "is empty; give some typical inputs"),
        (DATA.replace("_images(20)", "_images(20)[0, 0, 0, 0]"), "is empty"),
        (DATA.replace("_images(20)", "_images(20) * np.nan"), "NaN or infinite"),
        (
            DATA.replace("_images(20)", "_images(20)[:, 1:]"),
            "samples take the shape (6, 6, 1), got (5, 6, 1)",
        ),
        (DATA.replace("_images(20)", "'words'"), "must return an array of numbers"),
        (DATA.replace("_images(20)", "None"), "calibration()"),
        (DATA.replace("_images(20)", "1 / 0"), "ZeroDivisionError"),
        ("x = 1", "defines no function calibration()"),
        (DATA.replace("np.arange(30) % 3", "np.arange(7)"), "must return (inputs, labels) of one length"),
        (DATA.replace("_images(30)", "_images(30) + np.inf"), "holds NaN or infinite values"),
        (DATA.replace("_images(30)", "_images(30)[..., 0]"), "samples take the shape (6, 6, 1)"),
        (DATA.replace("np.arange(30) % 3", "['a'] * 30"), "must return arrays of numbers"),
    ],
)
def test_data(data: str, words: str, edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path, data=data)
    before = everything(tmp_path)
    assert words in edgegen.fails(MODEL_STATUS, "build", "--target", "host")
    assert everything(tmp_path) == before


# Where it goes -----------------------------------------------------------------------------------------


def test_a_budget_that_is_exceeded(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    before = everything(tmp_path)
    message = edgegen.fails(
        BUDGET, "build", "--target", "cortex-m4", "--flash", "400", "--ram", "300", "--stack", "200"
    )
    assert "tiny does not fit cortex-m4" in message
    assert message.count(" too many; the largest: ") == 2
    assert everything(tmp_path) == before


def test_an_output_that_cannot_be_written(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    (tmp_path / "file").write_text("", encoding="utf-8")
    before = everything(tmp_path)
    message = edgegen.fails(USAGE, "build", "--target", "host", "--output", tmp_path / "file" / "build")
    assert "cannot write the project" in message
    assert "cannot be written" in edgegen.fails(USAGE, "export", "--output", tmp_path / "file" / "a.tflite")
    assert everything(tmp_path) == before


def test_a_compiler_that_is_not_there(
    edgegen: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    message = edgegen.fails(TOOL, "build", "--target", "cortex-m4", "--compiler", "gcc", "--quiet")
    assert "arm-none-eabi-gcc is not on PATH" in message


# Arrays for run ----------------------------------------------------------------------------------------


def test_arrays_that_do_not_fit(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    cases = {
        "float.npy": np.zeros((2, 6, 6, 1), np.float32),
        "shape.npy": np.zeros((2, 5, 6, 1), np.int8),
        "none.npy": np.zeros((0, 6, 6, 1), np.int8),
        "object.npy": np.array([None]),
    }
    for name, array in cases.items():
        np.save(tmp_path / name, array)
    np.savez(tmp_path / "names.npz", a=np.zeros(3), b=np.zeros(3))
    (tmp_path / "raw.bin").write_bytes(bytes(37))
    (tmp_path / "no.npy").write_bytes(b"hello")
    (tmp_path / "no.npz").write_bytes(b"hello")
    for name in (*cases, "names.npz", "raw.bin", "no.npy", "no.npz"):
        assert name in edgegen.fails(USAGE, "run", "--input", name, "--output", "y.npy")
        assert not (tmp_path / "y.npy").exists()
