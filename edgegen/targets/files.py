"""Which files of edgegen go unchanged into an emitted PlatformIO project."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from edgegen.targets.target import Target

FIRMWARE = Path(__file__).parent.parent / "firmware"
HIDDEN = {"__pycache__", "__init__.py"}


def project_files(target: Target) -> Mapping[PurePosixPath, Path]:
    """Path in the project -> file to copy, sorted. The mapping is described in docs/project-layout.md."""
    found = {PurePosixPath("src/main.c"): FIRMWARE / "harness" / "main.c"}
    found |= _tree(FIRMWARE / "platform", "platform")
    found |= _tree(target.folder / "boards", "platform/boards")
    found |= _tree(target.folder / "support", f"platform/support/{target.name}")
    return dict(sorted(found.items()))


def _tree(folder: Path, place: str) -> dict[PurePosixPath, Path]:
    return {
        PurePosixPath(place, *file.relative_to(folder).parts): file
        for file in folder.rglob("*")
        if file.is_file() and not HIDDEN.intersection(file.parts)
    }
