"""Random changes: what they do to a sample, each to its own, and the same by the same generator."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.errors import ModelError
from edgegen.frontend.data import (
    Augment,
    Cutout,
    Gain,
    Noise,
    RandomAffine,
    RandomFlip,
    RandomShift,
    TimeMask,
    TimeShift,
)
from edgegen.frontend.data.augment import Change
from edgegen.frontend.generators import generator_state, set_generator_state


def images(count: int = 3) -> np.ndarray:
    return np.random.default_rng(0).random((count, 9, 9, 2)).astype(np.float32)


def windows(count: int = 3) -> np.ndarray:
    return np.random.default_rng(0).random((count, 12, 3)).astype(np.float32) + 1


CHANGES: dict[str, tuple[Change, np.ndarray]] = {
    "shift": (RandomShift(3), images(1)),
    "flip": (RandomFlip(), images(1)),
    "cutout": (Cutout(3), images(1)),
    "affine": (RandomAffine(shear=0.2), images(1)),
    "noise": (Noise(0.1), windows(1)),
    "gain": (Gain(0.5, 2), windows(1)),
    "time shift": (TimeShift(5), windows(1)),
    "time mask": (TimeMask(6), windows(1)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_sample_draws_its_own_change_from_the_generator(name: str) -> None:
    change, one = CHANGES[name]
    before = one.copy()
    many = np.repeat(one, 20, axis=0)
    first = change(many, np.random.default_rng(5))
    assert first.dtype == one.dtype and first.shape == many.shape
    assert (change(many, np.random.default_rng(5)) == first).all()
    assert len({sample.tobytes() for sample in first}) > 1
    assert (one == before).all()


@pytest.mark.parametrize("name", CHANGES)
def test_no_samples_are_no_samples(name: str) -> None:
    change, one = CHANGES[name]
    assert change(one[:0], np.random.default_rng(0)).shape == one[:0].shape


@given(st.integers(0, 12), st.integers(0, 2**32))
def test_shifted_pixels_keep_their_values(pixels: int, seed: int) -> None:
    x = images(4)
    moved = RandomShift(pixels, fill=-1)(x, np.random.default_rng(seed))
    for before, after in zip(x, moved, strict=True):
        found = [
            (dy, dx)
            for dy in range(-pixels, pixels + 1)
            for dx in range(-pixels, pixels + 1)
            if (shifted(before, dy, dx) == after).all()
        ]
        assert found


def shifted(image: np.ndarray, dy: int, dx: int) -> np.ndarray:
    padded = np.pad(image, ((20, 20), (20, 20), (0, 0)), constant_values=-1)
    return padded[20 - dy : 29 - dy, 20 - dx : 29 - dx]


def test_flips() -> None:
    x = images(200)
    for vertical, axis in ((False, 1), (True, 0)):
        turned = RandomFlip(vertical=vertical)(x, np.random.default_rng(0))
        flipped = [(b == np.flip(a, axis)).all() for a, b in zip(x, turned, strict=True)]
        kept = [(a == b).all() for a, b in zip(x, turned, strict=True)]
        assert all(a or b for a, b in zip(flipped, kept, strict=True)) and 60 < sum(flipped) < 140
    assert (RandomFlip(0.0)(x, np.random.default_rng(0)) == x).all()
    assert (RandomFlip(1.0)(x, np.random.default_rng(0)) == x[:, :, ::-1]).all()


def test_cutout_covers_a_square_that_the_edge_may_cut() -> None:
    x = images(300)
    cut = Cutout(4, fill=7)(x, np.random.default_rng(0))
    covered = cut == 7
    assert (cut[~covered] == x[~covered]).all()
    assert (covered[..., 0] == covered[..., 1]).all()
    rows, columns = covered[..., 0].any(2).sum(1), covered[..., 0].any(1).sum(1)
    assert (covered[..., 0].sum((1, 2)) == rows * columns).all()
    assert set(rows) == set(columns) == {2, 3, 4}


def test_noise_has_its_deviation() -> None:
    x = np.zeros((100, 100), np.float32)
    assert Noise(0.5)(x, np.random.default_rng(0)).std() == pytest.approx(0.5, rel=0.02)
    assert (Noise(0)(x, np.random.default_rng(0)) == 0).all()


def test_one_gain_a_window() -> None:
    x = windows(100)
    factors = Gain(0.5, 2)(x, np.random.default_rng(0)) / x
    assert np.ptp(factors.reshape(100, -1), axis=1).max() < 1e-6
    assert 0.5 <= factors.min() < 0.6 and 1.9 < factors.max() <= 2


@given(st.integers(0, 15), st.integers(0, 2**32), st.booleans())
def test_time_shifts(steps: int, seed: int, wrap: bool) -> None:
    x = windows(5)
    moved = TimeShift(steps, fill=-1, wrap=wrap)(x, np.random.default_rng(seed))
    for before, after in zip(x, moved, strict=True):
        padded = np.pad(
            before,
            ((20, 20), (0, 0)),
            "wrap" if wrap else "constant",
            **({} if wrap else {"constant_values": -1}),
        )
        assert any((padded[20 - d : 32 - d] == after).all() for d in range(-steps, steps + 1))


@given(st.integers(0, 12), st.integers(0, 2**32))
def test_time_masks_cover_one_stretch(steps: int, seed: int) -> None:
    x = windows(5)
    masked = TimeMask(steps, fill=-1)(x, np.random.default_rng(seed))
    covered = masked == -1
    assert (masked[~covered] == x[~covered]).all()
    for sample in covered:
        assert (sample.all(1) == sample.any(1)).all()
        at = np.flatnonzero(sample[:, 0])
        assert len(at) <= steps and (not len(at) or at[-1] - at[0] + 1 == len(at))


def test_changes_of_a_batch_in_order() -> None:
    def double(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return x * 2

    def next_number(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return x + 1

    batch = (np.ones(2), np.zeros(2))
    first, second = Augment(double, next_number)(batch, np.random.default_rng(0))
    assert first.tolist() == [3, 3] and second.tolist() == [0, 0]
    first, second = Augment(next_number, position=1)(batch, np.random.default_rng(0))
    assert first.tolist() == [1, 1] and second.tolist() == [1, 1]
    with pytest.raises(ModelError, match="a batch of 2 arrays has none at 2"):
        Augment(double, position=2)(batch, np.random.default_rng(0))


REFUSED = {
    "RandomShift: takes floats \\(N, H, W, C\\), got float32 of shape \\(3, 12, 3\\)": lambda rng: (
        RandomShift(1)(windows(), rng)
    ),
    "Noise: takes floats \\(N, ...\\), got int64": lambda rng: Noise(1)(np.ones(3, np.int64), rng),
    "TimeShift: takes floats \\(N, steps, ...\\), got float64 of shape \\(3,\\)": lambda rng: TimeShift(1)(
        np.ones(3), rng
    ),
    "TimeMask: steps takes 0 to the 12 of a window, got 13": lambda rng: TimeMask(13)(windows(), rng),
    "Cutout: size takes a positive number": lambda rng: Cutout(0),
}


@pytest.mark.parametrize("message", REFUSED)
def test_misuse(message: str) -> None:
    with pytest.raises(ModelError, match=message):
        REFUSED[message](np.random.default_rng(0))


# The affine change --------------------------------------------------------------------------------------


def test_no_change_is_no_change() -> None:
    same = RandomAffine(shift=0, degrees=0, scale=0)(images(), np.random.default_rng(0))
    assert same.dtype == np.float32
    np.testing.assert_allclose(same, images(), atol=1e-6)


def test_shifts_move_by_the_drawn_amount_and_fill_with_zero() -> None:
    class Fixed(np.random.Generator):
        def uniform(self, low=0.0, high=1.0, size=None):  # the upper end of each range, always
            return np.full(size, high)

    x = images(1)
    moved = RandomAffine(shift=2, degrees=0, scale=0)(x, Fixed(np.random.PCG64(0)))
    np.testing.assert_allclose(moved[:, 2:, 2:], x[:, :-2, :-2], atol=1e-6)
    assert not moved[:, :2].any() and not moved[:, :, :2].any()
    turned = RandomAffine(shift=0, degrees=90, scale=0)(x, Fixed(np.random.PCG64(0)))
    assert any(np.allclose(turned, np.rot90(x, k, (1, 2)), atol=1e-5) for k in (1, 3))


# Generators on disk -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_a_generator_continues_its_numbers(kind: type[np.random.BitGenerator]) -> None:
    rng, other = np.random.Generator(kind(1)), np.random.Generator(kind(2))
    rng.random(7)
    rng.integers(10, dtype=np.int32)
    set_generator_state(other, json.loads(json.dumps(generator_state(rng))))
    assert (rng.random(100) == other.random(100)).all()
    assert (rng.integers(10, size=9, dtype=np.int32) == other.integers(10, size=9, dtype=np.int32)).all()
