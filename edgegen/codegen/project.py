"""The emitted project on disk: its folder, its manifest, and writing it whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from edgegen.errors import UsageError

MANIFEST = "manifest.json"
MODEL_FILE = "model.tflite"
VECTORS = PurePosixPath("test/vectors.bin")
EXPECTED = PurePosixPath("test/expected.bin")
LABELS = PurePosixPath("test/labels.bin")
PROFILE = "tflm"
"""The rounding profile: TensorFlow Lite Micro's reference kernels."""


@dataclass(frozen=True)
class LayerRecord:
    """A layer as the manifest lists it; `index` is its number in a trace."""

    index: int
    name: str
    op: str
    kernel: str
    output: str
    macs: int
    constant_bytes: int


@dataclass(frozen=True)
class Manifest:
    """What a project was made from and what it takes. Sizes in bytes."""

    model: str
    title: str
    target: str
    board: str
    profile: str
    mode: str
    constant_channels_removed: bool
    edgegen: str
    model_sha256: str
    source: str
    input_bytes: int
    output_bytes: int
    arena_bytes: int
    arena_bound_bytes: int
    state_bytes: int
    constant_bytes: int
    flash_budget: int
    ram_budget: int
    stack_budget: int
    layers: tuple[LayerRecord, ...]

    def to_json(self) -> bytes:
        return (json.dumps(asdict(self), indent=2) + "\n").encode()

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> Manifest:
        layers = tuple(LayerRecord(**layer) for layer in content["layers"])
        return Manifest(**{**content, "layers": layers})


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a project. UsageError if there is none or it is damaged."""
    file = folder / MANIFEST
    try:
        return Manifest.from_json(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise UsageError(f"there is no project in {folder}; run `python -m edgegen build` first") from None
    except (OSError, ValueError, TypeError, KeyError) as problem:
        raise UsageError(f"{file} is damaged: {problem}; build the project again") from problem


def write_project(folder: Path, files: Mapping[PurePosixPath, bytes]) -> None:
    """Write the files of a project, or nothing at all; files no longer part of it vanish.

    Everything is first written beside the project. Unchanged files keep their time stamps, and PlatformIO's
    own folder stays, so that a second build is quick. UsageError if the folder cannot be written.
    """
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".edgegen-", dir=folder.parent) as scratch:
            draft = Path(scratch) / folder.name
            for place, content in files.items():
                _write_draft(draft / place, folder / place, content)
            _keep_build(folder, draft)
            _swap(draft, folder, Path(scratch) / "old")
    except OSError as problem:
        where = problem.filename or folder
        raise UsageError(f"cannot write the project {folder}: {where}: {problem.strerror}") from problem


def _write_draft(place: Path, current: Path, content: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    if current.is_file() and current.read_bytes() == content:
        times = current.stat()
        os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))


def _keep_build(folder: Path, draft: Path) -> None:
    built = folder / ".pio"
    if built.is_dir():
        built.replace(draft / ".pio")


def _swap(draft: Path, folder: Path, old: Path) -> None:
    if folder.exists():
        folder.replace(old)
    draft.replace(folder)
    shutil.rmtree(old, ignore_errors=True)
