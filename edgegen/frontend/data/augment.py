"""Random changes to images that keep their meaning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgegen.frontend.tape import Array


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
        rows, columns = self._sources(images.shape, rng)
        top, left = np.floor(rows).astype(np.intp), np.floor(columns).astype(np.intp)
        down = (rows - top).astype(images.dtype)[..., None]
        right = (columns - left).astype(images.dtype)[..., None]
        upper = _pixels(images, top, left) * (1 - right) + _pixels(images, top, left + 1) * right
        lower = _pixels(images, top + 1, left) * (1 - right) + _pixels(images, top + 1, left + 1) * right
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


def _pixels(images: Array, rows: Array, columns: Array) -> Array:
    n, h, w, _ = images.shape
    inside = (rows >= 0) & (rows < h) & (columns >= 0) & (columns < w)
    picked: Array = images[np.arange(n)[:, None, None], rows.clip(0, h - 1), columns.clip(0, w - 1)]
    return np.where(inside[..., None], picked, images.dtype.type(0))
