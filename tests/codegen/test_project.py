"""Projects on disk: whole or not at all, quick to write again, and nobody else's files lost."""

from __future__ import annotations

import json
import os
from pathlib import Path, PurePosixPath

import pytest

from edgegen.codegen import project
from edgegen.codegen.project import (
    MANIFEST,
    ImageRecord,
    LayerRecord,
    Manifest,
    RegionRecord,
    changed_files,
    digests,
    read_manifest,
    record_image,
    write_project,
)
from edgegen.errors import UsageError

Files = dict[PurePosixPath, bytes]


def manifest_of(files: Files) -> Manifest:
    return Manifest(
        model="m",
        title="M",
        target="host",
        board="host",
        profile="tflm",
        mode="balanced",
        constant_channels_removed=True,
        portable=True,
        tools={"edgegen": "1"},
        model_sha256="00",
        source="m.tflite",
        input_bytes=1,
        output_bytes=1,
        stored_vectors=1,
        arena_bytes=0,
        arena_bound_bytes=0,
        state_bytes=0,
        constant_bytes=0,
        flash_budget=1,
        ram_budget=2,
        stack_budget=1,
        image=None,
        layers=(LayerRecord(0, "a", "add", "add", "t", 0, 0),),
        regions=(RegionRecord(0, 1, (0, 1, 0)),),
        files=digests(files),
    )


def write(folder: Path, **texts: str) -> Files:
    """A project of lib/*.c files."""
    files: Files = {PurePosixPath("lib", f"{name}.c"): text.encode() for name, text in texts.items()}
    write_project(folder, {**files, MANIFEST: manifest_of(files).to_json()})
    return files


def everything(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()
    }


def test_manifests_read_back(tmp_path: Path) -> None:
    files = write(tmp_path / "p", a="1")
    manifest = read_manifest(tmp_path / "p")
    assert manifest == manifest_of(files)
    image = ImageRecord("zig", 1, 2, 3, 4, None)
    assert record_image(tmp_path / "p", manifest, image) == read_manifest(tmp_path / "p")
    assert read_manifest(tmp_path / "p").image == image


def test_changes_are_seen(tmp_path: Path) -> None:
    write(tmp_path / "p", a="1", b="2", c="3")
    manifest = read_manifest(tmp_path / "p")
    assert changed_files(tmp_path / "p", manifest) == []
    (tmp_path / "p" / "lib" / "a.c").write_text("other")
    (tmp_path / "p" / "lib" / "b.c").unlink()
    assert changed_files(tmp_path / "p", manifest) == ["lib/a.c", "lib/b.c"]


def test_unchanged_files_keep_their_time(tmp_path: Path) -> None:
    write(tmp_path / "p", a="1", b="2")
    for name in "ab":
        os.utime(tmp_path / "p" / "lib" / f"{name}.c", (1000, 1000))
    write(tmp_path / "p", a="1", b="changed")
    assert (tmp_path / "p" / "lib" / "a.c").stat().st_mtime == 1000
    assert (tmp_path / "p" / "lib" / "b.c").stat().st_mtime != 1000


def test_old_files_vanish_and_foreign_ones_stay(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    write(folder, a="1", old="2")
    foreign = {".pio/build/host/firmware": b"x", ".vscode/settings.json": b"{}", "lib/mine.txt": b"note"}
    for place, content in foreign.items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_bytes(content)
    write(folder, a="1")
    assert everything(folder).keys() == {"lib/a.c", "manifest.json", *foreign}
    assert [child.name for child in tmp_path.iterdir()] == ["p"]


def test_without_a_readable_manifest_generated_folders_start_anew(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    write(folder, a="1", old="2")
    (folder / MANIFEST).write_text(json.dumps({"of": "another version"}))
    write(folder, a="1")
    assert everything(folder).keys() == {"lib/a.c", "manifest.json"}


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("fails_at", range(2, 6))
def test_an_interruption_leaves_the_old_project_or_the_new_one(
    fails_at: int, error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "p"
    write(folder, a="old", b="old")
    before = everything(folder)
    calls = 0

    def failing(original: object) -> object:
        def wrapped(*args: object, **kwargs: object) -> object:
            nonlocal calls
            calls += 1
            if calls == fails_at:
                raise error
            return original(*args, **kwargs)  # type: ignore[operator]

        return wrapped

    monkeypatch.setattr(Path, "replace", failing(Path.replace))
    monkeypatch.setattr(Path, "write_bytes", failing(Path.write_bytes))
    with pytest.raises((KeyboardInterrupt, UsageError)):
        write(folder, a="new", b="new")
    monkeypatch.undo()
    assert everything(folder) == before
    assert [child.name for child in tmp_path.iterdir()] == ["p"]


def test_a_folder_that_is_no_project_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "thesis.txt").write_text("years of work")
    with pytest.raises(UsageError, match="is no project of edgegen"):
        write(tmp_path / "p", a="1")
    assert everything(tmp_path / "p").keys() == {"thesis.txt"}


def test_a_file_in_the_way(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("a file")
    with pytest.raises(UsageError, match="no project"):
        write(tmp_path / "p", a="1")
    with pytest.raises(UsageError, match="cannot write the project"):
        write(tmp_path / "p" / "below", a="1")


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"image": 3, "layers": [], "files": {}}'])
def test_damaged_manifests(content: str, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(content)
    with pytest.raises(UsageError, match="damaged or of another version"):
        read_manifest(tmp_path)


def test_no_manifest(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no project"):
        read_manifest(tmp_path)


def test_digests_use_posix_paths() -> None:
    assert list(digests({PurePosixPath("b/c"): b"", PurePosixPath("a"): b""})) == ["a", "b/c"]
    assert PurePosixPath("model.tflite") == project.MODEL_FILE
