"""Where a model comes from: a .tflite file, an edgegen.toml, a Python file, or the bundled example."""

from __future__ import annotations

import tomllib
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Graph
from edgegen.errors import ModelError, UsageError

CONFIG = "edgegen.toml"
PACKAGE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class ModelSource:
    """A model's place. `kind` is tflite or python; `described` is how messages call it.

    `calibration` is a file of samples by which a float .tflite is quantised.
    """

    kind: str
    path: Path
    described: str
    calibration: Path | None = None


@dataclass(frozen=True, eq=False)
class QuantizedSource:
    """A model ready for emission: the .tflite form of its integer graph, and evaluation data if there is any.

    `described` is how messages call its source, `file_name` how emitted files do: without a folder.
    `inputs` are quantised samples (V, *shape) of a single-input model, `labels` their classes.
    """

    name: str
    tflite: bytes
    described: str
    file_name: str
    inputs: Array | None = None
    labels: Array | None = None
    report: Any = None


def find_source(model: str | None, calibration: Path | None = None) -> ModelSource:
    """The model that an argument names; without one the edgegen.toml here, else the bundled example.

    `calibration` goes with a float .tflite.

    UsageError if there is nothing of that name or it is of no known kind.
    """
    if model is None:
        here = Path(CONFIG)
        if here.is_file():
            return ModelSource("python", here, str(here), calibration)
        return ModelSource("python", bundled_example(), "the bundled example mnist", calibration)
    path = Path(model)
    if path.is_dir():
        path = path / CONFIG
        if not path.is_file():
            raise UsageError(f"the folder {path.parent} holds no {CONFIG}")
    if not path.exists():
        raise UsageError(f"there is no model {path}")
    kinds = {".tflite": "tflite", ".toml": "python", ".py": "python"}
    if path.suffix.lower() not in kinds:
        raise UsageError(f"{path} is no model: expected a .tflite file, a .py file, {CONFIG} or its folder")
    return ModelSource(kinds[path.suffix.lower()], path, str(path), calibration)


def bundled_example() -> Path:
    """The edgegen.toml of the example that comes with the package."""
    return Path(str(files("edgegen"))) / "examples" / "mnist" / CONFIG


def load_source(source: ModelSource) -> QuantizedSource:
    """The quantised model of a source. ModelError or UsageError for whatever is wrong with it."""
    if source.kind == "tflite":
        return _load_tflite(source)
    if source.calibration is not None:
        raise UsageError(f"{source.described} brings its own calibration(); leave out --calibration")
    from edgegen.codegen.python_model import load_python_model

    return load_python_model(source)


def graph_of(source: QuantizedSource) -> Graph:
    """The integer graph of a source. ModelError, naming the source, lists what of it cannot be used."""
    from edgegen.codegen.float_tflite import is_float
    from edgegen.frontend.importers.tflite import load_tflite

    try:
        graph = load_tflite(source.tflite, name=source.name)
    except ModelError as problem:
        raise ModelError(f"{source.described}: {problem}") from problem
    if is_float(graph) and graph.nodes:
        raise ModelError(
            f"{source.described} is a float model: quantise it by some typical inputs, "
            "--calibration samples.npy, or convert it to int8"
        )
    return graph


def _load_tflite(source: ModelSource) -> QuantizedSource:
    try:
        content = source.path.read_bytes()
    except OSError as problem:
        raise UsageError(f"{source.path} cannot be read: {problem.strerror}") from problem
    loaded = QuantizedSource(
        name=source.path.stem, tflite=content, described=source.described, file_name=source.path.name
    )
    if source.calibration is None:
        return loaded
    from edgegen.codegen.float_tflite import quantize_float_tflite

    return quantize_float_tflite(loaded, source.calibration)


def read_config(path: Path) -> Mapping[str, Any]:
    """An edgegen.toml. UsageError if it is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror}") from problem
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise UsageError(f"{path} is not valid TOML: {problem}") from problem


def run_function(function: Callable[[], Any], what: str) -> Any:
    """Call a user's function; whatever it raises becomes one message with the place in the user's file."""
    try:
        return function()
    except (ModelError, UsageError):
        raise
    except SyntaxError as problem:
        place = f"{problem.filename or what}, line {problem.lineno or 1}"
        raise ModelError(f"{what} is not Python: {problem.msg} ({place})") from problem
    except (Exception, SystemExit) as problem:
        raise ModelError(f"{what} failed{_place(problem)}: {type(problem).__name__}: {problem}") from problem


def _place(problem: BaseException) -> str:
    """The last line of the user's own code that the problem went through."""
    frames = [
        frame
        for frame in traceback.extract_tb(problem.__traceback__)
        if not frame.filename.startswith("<") and not Path(frame.filename).is_relative_to(PACKAGE)
    ]
    return f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def quantized_samples(samples: Array, *, scale: float, zero_point: int) -> Array:
    """Float samples as int8: to nearest even, saturating."""
    scaled = np.round(samples / np.float32(scale)) + zero_point
    return np.clip(scaled, -128, 127).astype(np.int8)
