"""The data: noisy drawings of four shapes, made up so that the project works at once.

Put your own in their place: let `training` and `evaluation` return your arrays, inputs as float32
(N, rows, columns, channels) and labels as N whole numbers, for example from a file beside this one:

    with np.load(Path(__file__).with_name("data.npz")) as file:
        return file["inputs"], file["labels"]

`edgegen.toml` has the shape of one input, `model.py` the number of classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

SHAPES = ("disc", "ring", "square", "cross")
SIZE = 16


def training() -> tuple[Array, Array]:
    """What the network learns from."""
    return draw(2000, np.random.default_rng(1))


def evaluation() -> tuple[Array, Array]:
    """What it is judged by: never seen in training."""
    return draw(200, np.random.default_rng(2))


def calibration() -> Array:
    """Typical inputs, from which the int8 ranges of all layers are taken: some of the training data."""
    return training()[0][:200]


def draw(count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Images (count, 16, 16, 1) of shapes in random places and sizes, with noise, and their classes."""
    labels = np.arange(count) % len(SHAPES)
    radius = rng.uniform(3, 6, (count, 1, 1))
    x, y = np.mgrid[:SIZE, :SIZE][:, np.newaxis] - SIZE / 2 - rng.uniform(-2, 2, (2, count, 1, 1))
    round_distance, square_distance = np.hypot(x, y), np.maximum(abs(x), abs(y))
    shapes = [
        round_distance < radius,
        abs(round_distance - radius) < 1,
        abs(square_distance - radius) < 1,
        (np.minimum(abs(x), abs(y)) < 1) & (square_distance < radius),
    ]
    images = np.select([labels[:, None, None] == n for n in range(len(SHAPES))], shapes).astype(np.float32)
    noisy = images + rng.standard_normal(images.shape, np.float32) * np.float32(0.25)
    return noisy[..., np.newaxis], labels
