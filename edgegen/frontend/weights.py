"""Weights on disk, as safetensors: written whole or not at all, loaded strictly.

The format is documented at https://huggingface.co/docs/safetensors.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import safetensors
import safetensors.numpy

from edgegen.errors import ModelError, UsageError, problems
from edgegen.frontend.files import write_whole
from edgegen.frontend.nn.module import Module
from edgegen.frontend.renaming import matches, renamed
from edgegen.frontend.tape import Array

_TYPES = {
    "F64": np.float64, "F32": np.float32, "F16": np.float16,
    "I64": np.int64, "I32": np.int32, "I16": np.int16, "I8": np.int8,
    "U64": np.uint64, "U32": np.uint32, "U16": np.uint16, "U8": np.uint8, "BOOL": np.bool_,
}  # fmt: skip


class _View(TypedDict):
    dtype: str
    shape: list[int]
    data: bytes


def save(
    path: Path | str, weights: Module | Mapping[str, Array], *, metadata: Mapping[str, str] | None = None
) -> None:
    """Write the parameters and buffers of a module, or named arrays, to `path`.

    The file appears whole or not at all: it is written beside and then moved. The same weights give the same
    bytes. `metadata` are texts for people; they are ignored at loading.
    """
    state = weights.state_dict() if isinstance(weights, Module) else weights
    # C order: safetensors writes the buffer as it lies in memory.
    arrays = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in state.items()}
    content = safetensors.numpy.save(arrays, metadata=dict(metadata) if metadata else None)
    write_whole(Path(path), content, what="the weights")


@dataclass(frozen=True)
class Loaded:
    """What a load did: the model's tensors that were loaded or kept, and the file's that were left out."""

    loaded: tuple[str, ...]
    kept: tuple[str, ...]
    ignored: tuple[str, ...]


def load(
    path: Path | str,
    module: Module,
    *,
    rename: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    ignore: Sequence[str] = (),
    finite: bool = True,
) -> Loaded:
    """Load `path` into `module`: exactly its names, shapes and types (F16 and BF16 become float32).

    Every misfit is listed in one `ModelError`, and then the module is unchanged. NaN and infinity are refused
    unless `finite` is off. What is not to be exact has to be said, in names or beginnings such as "head.*":

    * `rename`: rules from the file's names to the model's, {"conv1.*": "stem.*"}.
    * `keep`: tensors of the model that keep the values they have, whatever the file holds.
    * `ignore`: tensors of the file, as renamed, that the model does not take.

    Each must match something, so that none outlives its reason.
    """
    origin = str(path)
    state = renamed(read(path), rename or {}, origin=origin)
    own = module.state_dict()
    unused = [f"keep '{rule}' matches no tensor of the model" for rule in keep if not _chosen(own, (rule,))]
    unused += [
        f"ignore '{rule}' matches no tensor of the file" for rule in ignore if not _chosen(state, (rule,))
    ]
    if unused:
        raise ModelError(problems(f"{origin}: the weights cannot be loaded in part", unused))
    kept, ignored = _chosen(own, keep), _chosen(state, ignore)
    taken = {name: array for name, array in state.items() if name not in {*kept, *ignored}}
    module.load_state_dict({**taken, **{name: own[name] for name in kept}}, origin=origin, finite=finite)
    return Loaded(tuple(name for name in own if name not in kept), kept, ignored)


def _chosen(names: Iterable[str], rules: Sequence[str]) -> tuple[str, ...]:
    return tuple(name for name in names if any(matches(name, rule) for rule in rules))


def read(path: Path | str) -> dict[str, Array]:
    """All tensors of a safetensors file by name; F16 and BF16 as float32, others in their own type."""
    return read_with_metadata(path)[0]


def read_with_metadata(path: Path | str) -> tuple[dict[str, Array], dict[str, str]]:
    """All tensors as `read` gives them, and the texts that `save` was given as metadata."""
    path = Path(path)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read the weights {path}: {error.strerror or error}") from error
    try:
        views: list[tuple[str, _View]] = safetensors.deserialize(content)  # type: ignore[no-untyped-call]
    except Exception as error:
        # The library documents no single type; whatever it raises, the file is at fault.
        raise ModelError(f"{path}: not a sound safetensors file of {len(content)} bytes: {error}") from error
    # The library checked the header, which is a length and then JSON, but does not hand it out.
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])
    arrays = {name: _decode(path, name, view) for name, view in sorted(views, key=lambda item: item[0])}
    return arrays, dict(header.get("__metadata__") or {})


def _decode(path: Path, name: str, view: _View) -> Array:
    kind, shape, data = view["dtype"], tuple(view["shape"]), view["data"]
    if kind == "BF16":
        return _bfloat16(data).reshape(shape)
    if kind not in _TYPES:
        known = ", ".join(["BF16", *_TYPES])
        raise ModelError(f"{path}: '{name}' is of type {kind}; known are {known}: convert it before saving")
    dtype: np.dtype[Any] = np.dtype(_TYPES[kind]).newbyteorder("<")
    array = np.frombuffer(data, dtype, math.prod(shape)).reshape(shape)
    native = np.float32 if kind == "F16" else dtype.newbyteorder("=")
    return array.astype(native)


def _bfloat16(data: bytes) -> Array:
    # The upper half of a float32.
    wide = np.frombuffer(data, "<u2").astype(np.uint32) << np.uint32(16)
    return wide.view(np.float32)
