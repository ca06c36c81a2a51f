"""5,000 handwritten digits: 4,000 to train on and 1,000 held out, 400 and 100 of each class.

`make_data.py` made the file; `data/LICENSE` names its origin. Images are float32 (N, 28, 28, 1) from 0 to 1,
labels are the digits.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

FILE = Path(__file__).with_name("data") / "digits.npz"
CALIBRATION_COUNT = 500


def _load(part: str) -> tuple[Array, Array]:
    with np.load(FILE, allow_pickle=False) as arrays:
        images, labels = arrays[f"{part}_images"], arrays[f"{part}_labels"]
    return images[..., np.newaxis].astype(np.float32) / np.float32(255), labels.astype(np.int64)


def training() -> tuple[Array, Array]:
    """4,000 images and their labels."""
    return _load("train")


def calibration() -> Array:
    """Images that show the ranges of activations: the first of the training set, none held out."""
    return training()[0][:CALIBRATION_COUNT]


def evaluation() -> tuple[Array, Array]:
    """1,000 held-out images and their labels."""
    return _load("held_out")
