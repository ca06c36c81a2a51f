"""The emitted project on disk: its files, its manifest, and writing it whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from edgegen.errors import UsageError

MANIFEST = PurePosixPath("manifest.json")
MODEL_FILE = PurePosixPath("model.tflite")
VECTORS = PurePosixPath("test/vectors.bin")
EXPECTED = PurePosixPath("test/expected.bin")
LABELS = PurePosixPath("test/labels.bin")
OWN_FOLDERS = ("lib", "platform", "src", "test")
PROFILE = "tflm"
"""The rounding profile: TensorFlow Lite Micro's reference kernels."""


@dataclass(frozen=True)
class LayerRecord:
    """A layer as the manifest lists it. `index` is its number in a trace; an elided one has no kernel."""

    index: int
    name: str
    op: str
    kernel: str
    output: str
    macs: int
    constant_bytes: int


@dataclass(frozen=True)
class RegionRecord:
    """Layers `first` to `last` that run row by row: the layer of each row, in the order of a trace."""

    first: int
    last: int
    order: tuple[int, ...]


@dataclass(frozen=True)
class ImageRecord:
    """What the image of the last build took, in bytes; the stack is the deepest seen in emulation."""

    compiler: str
    flash_bytes: int
    code_bytes: int
    constant_bytes: int
    ram_bytes: int
    stack_bytes: int | None


@dataclass(frozen=True)
class Manifest:
    """What a project was made from and what it takes. Sizes in bytes.

    `files` holds the SHA-256 of everything that edgegen wrote. `portable` says that the model's library has
    no kernels of the target's own and so runs on any machine. `image` is None until it was compiled.
    """

    model: str
    title: str
    target: str
    board: str
    profile: str
    mode: str
    constant_channels_removed: bool
    portable: bool
    tools: Mapping[str, str]
    model_sha256: str
    source: str
    input_bytes: int
    output_bytes: int
    stored_vectors: int
    arena_bytes: int
    arena_bound_bytes: int
    state_bytes: int
    constant_bytes: int
    flash_budget: int
    ram_budget: int
    stack_budget: int
    image: ImageRecord | None
    layers: tuple[LayerRecord, ...]
    regions: tuple[RegionRecord, ...]
    files: Mapping[str, str]

    def to_json(self) -> bytes:
        return (json.dumps(asdict(self), indent=2) + "\n").encode()

    @staticmethod
    def from_json(content: Mapping[str, Any]) -> Manifest:
        image = content["image"]
        return Manifest(
            **{
                **content,
                "layers": tuple(LayerRecord(**layer) for layer in content["layers"]),
                "regions": tuple(
                    RegionRecord(r["first"], r["last"], tuple(r["order"])) for r in content["regions"]
                ),
                "image": None if image is None else ImageRecord(**image),
            }
        )


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a project. UsageError if there is none or it is damaged."""
    file = folder / MANIFEST
    try:
        return Manifest.from_json(json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise UsageError(f"there is no project in {folder}; run `python -m edgegen build` first") from None
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror}") from problem
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise UsageError(f"{file} is damaged or of another version; build the project again") from problem


def record_image(folder: Path, manifest: Manifest, image: ImageRecord) -> Manifest:
    """The manifest with what the image took, also on disk."""
    complete = replace(manifest, image=image)
    draft = folder / f".{MANIFEST}.part"
    try:
        draft.write_bytes(complete.to_json())
        draft.replace(folder / MANIFEST)
    except OSError as problem:
        raise _cannot_write(folder, problem) from problem
    return complete


def digests(files: Mapping[PurePosixPath, bytes]) -> dict[str, str]:
    """SHA-256 by path, sorted."""
    return {str(place): hashlib.sha256(files[place]).hexdigest() for place in sorted(files)}


def changed_files(folder: Path, manifest: Manifest) -> list[str]:
    """Files that are no longer as edgegen wrote them, missing ones included."""
    return [place for place, digest in manifest.files.items() if _digest(folder / place) != digest]


def write_project(folder: Path, files: Mapping[PurePosixPath, bytes]) -> None:
    """Write the files of a project, or nothing at all.

    Everything is first written beside the project, then both change places. Unchanged files keep their time
    stamps and everything that is not edgegen's stays, PlatformIO's own folder too, so that a second build is
    quick; files of an earlier build that are no longer part of it vanish. UsageError if the folder cannot be
    written, or is there already and no project.
    """
    earlier = _earlier_files(folder)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix=".edgegen-", dir=folder.parent, ignore_cleanup_errors=True
        ) as temp:
            draft, old = Path(temp) / "new", Path(temp) / "old"
            for place, content in files.items():
                _write_draft(draft / place, folder / place, content)
            _swap(draft, folder, old)
            _keep(old, folder, {*earlier, *map(str, files), str(MANIFEST)})
    except OSError as problem:
        raise _cannot_write(folder, problem) from problem


def _earlier_files(folder: Path) -> Collection[str]:
    if not folder.exists():
        return ()
    if not folder.is_dir() or (any(folder.iterdir()) and not (folder / MANIFEST).is_file()):
        raise UsageError(f"{folder} is there already and is no project of edgegen; choose another --output")
    try:
        return read_manifest(folder).files.keys()
    except UsageError:
        return [file.relative_to(folder).as_posix() for file in _files_in(folder, OWN_FOLDERS)]


def _files_in(folder: Path, names: Collection[str]) -> list[Path]:
    return [file for name in names for file in (folder / name).rglob("*") if file.is_file()]


def _write_draft(place: Path, current: Path, content: bytes) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    if current.is_file() and current.read_bytes() == content:
        times = current.stat()
        os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))


def _swap(draft: Path, folder: Path, old: Path) -> None:
    """Put the draft into place. Whatever interrupts this, the folder is whole."""
    try:
        if folder.exists():
            folder.replace(old)
        draft.replace(folder)
    except BaseException:
        if old.exists() and not folder.exists():
            old.replace(folder)
        raise


def _keep(old: Path, folder: Path, own: Collection[str]) -> None:
    """Move what is not edgegen's from the old folder into the new one."""
    inner = {str(parent) for place in own for parent in PurePosixPath(place).parents}
    pending = [old] if old.is_dir() else []
    while pending:
        for child in pending.pop().iterdir():
            place = child.relative_to(old).as_posix()
            if child.is_dir() and place in inner:
                pending.append(child)
            elif place not in own:
                (folder / place).parent.mkdir(parents=True, exist_ok=True)
                child.replace(folder / place)


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""


def _cannot_write(folder: Path, problem: OSError) -> UsageError:
    return UsageError(f"cannot write the project {folder}: {problem.filename or folder}: {problem.strerror}")
