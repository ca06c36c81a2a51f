"""Random changes to images (N, H, W, C)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.data.augment import check_axes
from edgegen.frontend.tape import Array

AXES = ("N", "H", "W", "C")


@dataclass(frozen=True)
class RandomShift:
    """Move each image by up to `pixels` whole pixels in each direction; what comes in is `fill`."""

    pixels: int
    fill: float = 0.0

    def __call__(self, images: Array, rng: np.random.Generator) -> Array:
        check_axes(self, images, AXES)
        n, h, w, _ = images.shape
        dy, dx = rng.integers(-self.pixels, self.pixels, (2, n, 1, 1), endpoint=True)
        y, x = np.mgrid[:h, :w]
        return picked(images, y - dy, x - dx, self.fill)


@dataclass(frozen=True)
class RandomFlip:
    """Mirror each image left to right with `probability`; with `vertical`, top to bottom instead."""

    probability: float = 0.5
    vertical: bool = False

    def __call__(self, images: Array, rng: np.random.Generator) -> Array:
        check_axes(self, images, AXES)
        chosen = rng.random((len(images), 1, 1, 1)) < self.probability
        return np.where(chosen, np.flip(images, 1 if self.vertical else 2), images)


@dataclass(frozen=True)
class Cutout:
    """Cover a square of `size` pixels a side, around a random pixel, with `fill`; at the edge it is cut.

    Source: DeVries and Taylor, "Improved Regularization of Convolutional Neural Networks with Cutout", 2017.
    """

    size: int
    fill: float = 0.0

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ModelError(f"Cutout: size takes a positive number, got {self.size}")

    def __call__(self, images: Array, rng: np.random.Generator) -> Array:
        check_axes(self, images, AXES)
        n, h, w, _ = images.shape
        top = rng.integers(h, size=(n, 1, 1)) - self.size // 2
        left = rng.integers(w, size=(n, 1, 1)) - self.size // 2
        y, x = np.mgrid[:h, :w]
        covered = (y >= top) & (y < top + self.size) & (x >= left) & (x < left + self.size)
        return np.where(covered[..., None], images.dtype.type(self.fill), images)


@dataclass(frozen=True)
class RandomAffine:
    """Shift, rotate, scale and shear each image (N, H, W, C) by its own random amount; outside is zero.

    `shift` is in pixels, the others are around the centre: `degrees` of rotation, a `scale` of 0.1 for 90 %
    to 110 %, a `shear` of 0.1 for a tenth of a column a row. Pixels between pixels are interpolated linearly.
    """

    shift: float = 2.0
    degrees: float = 10.0
    scale: float = 0.1
    shear: float = 0.0

    def __call__(self, images: Array, rng: np.random.Generator) -> Array:
        check_axes(self, images, AXES)
        rows, columns = self._sources(images.shape, rng)
        top, left = np.floor(rows).astype(np.intp), np.floor(columns).astype(np.intp)
        down = (rows - top).astype(images.dtype)[..., None]
        right = (columns - left).astype(images.dtype)[..., None]
        upper = picked(images, top, left) * (1 - right) + picked(images, top, left + 1) * right
        lower = picked(images, top + 1, left) * (1 - right) + picked(images, top + 1, left + 1) * right
        return np.asarray(upper * (1 - down) + lower * down)

    def _sources(self, shape: tuple[int, ...], rng: np.random.Generator) -> tuple[Array, Array]:
        # Where in the input each output pixel comes from, (N, H, W) rows and columns.
        n, h, w, _ = shape
        angle = np.deg2rad(rng.uniform(-self.degrees, self.degrees, (n, 1, 1)))
        factor = 1 / rng.uniform(1 - self.scale, 1 + self.scale, (n, 1, 1))
        shear = rng.uniform(-self.shear, self.shear, (n, 1, 1))
        dy, dx = rng.uniform(-self.shift, self.shift, (2, n, 1, 1))
        y, x = np.mgrid[:h, :w].astype(np.float64)
        y, x = y - (h - 1) / 2 - dy, x - (w - 1) / 2 - dx
        x = x + shear * y
        cos, sin = np.cos(angle) * factor, np.sin(angle) * factor
        return cos * y - sin * x + (h - 1) / 2, sin * y + cos * x + (w - 1) / 2


def picked(images: Array, rows: Array, columns: Array, fill: float = 0.0) -> Array:
    """The pixels at `rows` and `columns`, each (N, H, W) or broadcast to it; `fill` outside the image."""
    n, h, w, _ = images.shape
    inside = (rows >= 0) & (rows < h) & (columns >= 0) & (columns < w)
    found: Array = images[np.arange(n)[:, None, None], rows.clip(0, h - 1), columns.clip(0, w - 1)]
    return np.where(inside[..., None], found, images.dtype.type(fill))
