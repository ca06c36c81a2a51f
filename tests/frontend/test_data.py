"""Data sets, batches and augmentation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.errors import ModelError
from edgegen.frontend.data import ArrayDataset, DataLoader, RandomAffine


class Squares:
    """A data set that is not held in arrays."""

    def __len__(self) -> int:
        return 7

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        return np.array([index, index**2]), index


@given(count=st.integers(1, 30), batch=st.integers(1, 12), drop=st.booleans(), shuffled=st.booleans())
def test_each_sample_comes_once(count: int, batch: int, drop: bool, shuffled: bool) -> None:
    numbers = np.arange(count)
    rng = np.random.default_rng(0) if shuffled else None
    loader = DataLoader(ArrayDataset(numbers, numbers * 2), batch_size=batch, drop_last=drop, shuffle=rng)
    batches = list(loader)
    assert len(batches) == len(loader)
    assert all((b == 2 * a).all() for a, b in batches)
    seen = [int(i) for a, _ in batches for i in a]
    expected = count - count % batch if drop else count
    assert len(seen) == expected and len(set(seen)) == expected
    assert all(len(a) == batch for a, _ in batches[: None if drop else -1])
    if not shuffled:
        assert seen == list(range(expected))


def test_the_order_comes_from_the_generator_and_changes_each_pass() -> None:
    def passes(seed: int) -> list[list[int]]:
        dataset = ArrayDataset(np.arange(20))
        loader = DataLoader(dataset, batch_size=20, shuffle=np.random.default_rng(seed))
        return [next(iter(loader))[0].tolist() for _ in range(2)]

    assert passes(1) == passes(1)
    first, second = passes(1)
    assert first != second


def test_other_data_sets_are_stacked_and_transformed() -> None:
    loader = DataLoader(Squares(), batch_size=4, transform=lambda b: (b[0] + 1, *b[1:]))
    first, _ = loader
    assert first[0].tolist() == [[1, 1], [2, 2], [3, 5], [4, 10]]
    assert first[1].tolist() == [0, 1, 2, 3]


def test_misuse() -> None:
    with pytest.raises(ModelError, match=r"one length, got the lengths \[2, 3\]"):
        ArrayDataset(np.zeros(2), np.zeros(3))
    with pytest.raises(ModelError, match="batch_size takes a positive number"):
        DataLoader(Squares(), batch_size=0)


def images(count: int = 3) -> np.ndarray:
    return np.random.default_rng(0).random((count, 9, 9, 2)).astype(np.float32)


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


def test_each_image_draws_its_own_change_from_the_generator() -> None:
    change = RandomAffine(shear=0.2)
    twins = np.repeat(images(1), 2, axis=0)
    first = change(twins, np.random.default_rng(5))
    assert (change(twins, np.random.default_rng(5)) == first).all()
    assert not (first[0] == first[1]).all()
    assert first.min() >= 0 and first.max() <= 1 + 1e-6
