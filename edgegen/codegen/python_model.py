"""Models defined in Python: loads them from an edgegen.toml or a .py file and quantises them."""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.source import ModelSource, QuantizedSource, quantized_samples, read_config, run_function
from edgegen.errors import ModelError, UsageError, problems

if TYPE_CHECKING:
    from collections.abc import Iterator

    from edgegen.frontend.nn import Module

TABLES = {
    "model": {"name", "source", "weights", "input_shape"},
    "data": {"source"},
    "quantize": {"method", "per_channel", "percentile"},
}


@dataclass(frozen=True)
class PythonModel:
    """An edgegen.toml with its paths resolved; `quantize` are the keys of its [quantize] table."""

    name: str
    source: Path
    weights: Path | None
    data: Path
    input_shape: tuple[int, ...]
    quantize: Mapping[str, Any]


def read_python_model(source: ModelSource) -> PythonModel:
    """What an edgegen.toml says. UsageError lists everything that is wrong with it."""
    if source.path.suffix == ".py":
        return _beside(source.path)
    config = read_config(source.path)
    found = _unknown_keys(config) or _wrong_values(config)
    if found:
        raise UsageError(problems(f"{source.path} cannot be used:", found))
    folder, model = source.path.parent, config["model"]
    weights = model.get("weights")
    return PythonModel(
        name=model["name"],
        source=folder / model["source"],
        weights=None if weights is None else folder / weights,
        data=folder / config["data"]["source"],
        input_shape=tuple(model["input_shape"]),
        quantize=config.get("quantize", {}),
    )


def load_python_model(source: ModelSource) -> QuantizedSource:
    """Load, quantise and export a Python model. ModelError or UsageError for whatever is wrong with it."""
    described = read_python_model(source)
    with _importable(described.source.parent):
        return _load(described, source)


def load_float_module(described: PythonModel) -> Module:
    """The network with its weights, as the user's model() makes it."""
    from edgegen.frontend import weights as weight_files
    from edgegen.frontend.nn import Module

    namespace = load_module(described.source)
    make = getattr(namespace, "model", None)
    if not callable(make):
        raise ModelError(f"{described.source} defines no function model()")
    module = run_function(make, f"model() of {described.source}")
    if not isinstance(module, Module):
        raise ModelError(
            f"model() of {described.source} must return an edgegen Module, got {type(module).__name__}"
        )
    if described.weights is not None:
        if not described.weights.exists():
            raise UsageError(f"cannot read the weights {described.weights}: `edgegen train` writes them")
        weight_files.load(described.weights, module)
    return module


def load_data(described: PythonModel, function: str) -> Any:
    """What a function of the data module returns; ModelError if there is none or it fails."""
    namespace = load_module(described.data)
    make = getattr(namespace, function, None)
    if not callable(make):
        raise ModelError(f"{described.data} defines no function {function}()")
    return run_function(make, f"{function}() of {described.data}")


def load_module(path: Path) -> ModuleType:
    """Import a user's file under a name of its own. UsageError if it is missing, ModelError if it fails."""
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    name = f"edgegen_user_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        run_function(partial(spec.loader.exec_module, module), str(path))
    except BaseException:
        del sys.modules[name]
        raise
    return module


def _beside(path: Path) -> PythonModel:
    """A .py file alone: its weights and data lie beside it, its shape is INPUT_SHAPE."""
    module = load_module(path)
    shape: Any = getattr(module, "INPUT_SHAPE", None)
    found = [] if callable(getattr(module, "model", None)) else ["no function model()"]
    if not isinstance(shape, (tuple, list)) or not all(isinstance(n, int) and n > 0 for n in shape):
        found.append("no INPUT_SHAPE, such as (28, 28, 1); or name the file in an edgegen.toml")
    if found:
        raise ModelError(problems(f"{path} is no model, it defines:", found))
    weights = path.with_name("weights.safetensors")
    data = path.with_name("data.py")
    return PythonModel(
        name=path.stem,
        source=path,
        weights=weights if weights.is_file() else None,
        data=data if data.is_file() else path,
        input_shape=tuple(int(n) for n in shape),
        quantize={},
    )


def _load(described: PythonModel, source: ModelSource) -> QuantizedSource:
    from edgegen.codegen.export.tflite import write_tflite
    from edgegen.codegen.quantization.options import QuantizeOptions
    from edgegen.codegen.quantization.pipeline import quantize_module

    try:
        options = QuantizeOptions(**described.quantize)
    except (TypeError, ValueError) as problem:
        raise UsageError(f"{source.path}: [quantize]: {problem}") from problem
    module = load_float_module(described)
    calibration = _calibration(described)
    model = quantize_module(module, calibration, name=described.name, options=options)
    inputs, labels = _evaluation(described)
    q = model.graph.input_tensors()[0].quantization
    assert q is not None
    return QuantizedSource(
        name=described.name,
        tflite=write_tflite(model.graph),
        described=source.described,
        file_name=described.source.name,
        inputs=None if inputs is None else quantized_samples(inputs, scale=q.scale, zero_point=q.zero_point),
        labels=labels,
        report=model,
    )


def _calibration(described: PythonModel) -> Array:
    """The calibration set (V, *input_shape) in float32; whether its values can be used is judged later."""
    what = f"calibration() of {described.data}"
    try:
        samples = np.asarray(load_data(described, "calibration"), np.float32)
    except (TypeError, ValueError) as problem:
        raise ModelError(f"{what} must return an array of numbers: {problem}") from problem
    if samples.shape[:1] in ((), (0,)):
        raise ModelError(f"{what} is empty; give some typical inputs")
    if samples.shape[1:] != described.input_shape:
        raise ModelError(
            f"{what}: samples take the shape {described.input_shape}, got {samples.shape[1:]}; the first "
            "axis counts the samples"
        )
    return samples


def _evaluation(described: PythonModel) -> tuple[Array | None, Array | None]:
    if not hasattr(load_module(described.data), "evaluation"):
        return None, None
    made = load_data(described, "evaluation")
    if not isinstance(made, tuple) or len(made) != 2 or len(made[0]) != len(made[1]):
        raise ModelError(f"evaluation() of {described.data} must return (inputs, labels) of one length")
    try:
        inputs, labels = np.asarray(made[0], np.float32), np.asarray(made[1]).astype(np.int32)
    except (TypeError, ValueError) as problem:
        raise ModelError(
            f"evaluation() of {described.data} must return arrays of numbers: {problem}"
        ) from problem
    if inputs.shape[1:] != described.input_shape:
        raise ModelError(
            f"evaluation() of {described.data}: samples take the shape {described.input_shape}, "
            f"got {inputs.shape[1:]}"
        )
    if not np.isfinite(inputs).all():
        raise ModelError(f"evaluation() of {described.data} holds NaN or infinite values")
    return inputs, labels


def _unknown_keys(config: Mapping[str, Any]) -> list[str]:
    found = [f"unknown table [{table}]" for table in sorted(config.keys() - TABLES.keys())]
    for table, keys in TABLES.items():
        content = config.get(table, {})
        if not isinstance(content, dict):
            found.append(f"[{table}] must be a table")
            continue
        found += [f"unknown key {key} in [{table}]" for key in sorted(content.keys() - keys)]
    return found


def _wrong_values(config: Mapping[str, Any]) -> list[str]:
    """What is missing or of the wrong type; the tables are known to be tables."""
    model, data = config.get("model", {}), config.get("data", {})
    found = [f"[model] {key} is missing" for key in ("name", "source", "input_shape") if key not in model]
    found += [] if "source" in data else ["[data] source is missing"]
    texts = [("model", "name"), ("model", "source"), ("model", "weights"), ("data", "source")]
    for table, key in texts:
        value = config.get(table, {}).get(key, "")
        found += [] if isinstance(value, str) else [f"[{table}] {key} takes text, got {value!r}"]
    shape = model.get("input_shape", [1])
    if not isinstance(shape, list) or not all(isinstance(n, int) and n > 0 for n in shape) or not shape:
        found.append(f"[model] input_shape takes a list of positive integers, got {shape!r}")
    return found


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """The user's files may import their neighbours."""
    sys.path.insert(0, str(folder.resolve()))
    try:
        yield
    finally:
        sys.path.remove(str(folder.resolve()))
