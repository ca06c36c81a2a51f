"""Data sets and loaders: every sample once, the same batches however they are made, and nothing left."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
import threading
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.errors import ModelError, ToolError
from edgegen.frontend.data import ArrayDataset, Augment, Batch, DataLoader, Noise, Subset, split


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
    with pytest.raises(ModelError, match="workers and ahead take no such numbers as -1 and None"):
        DataLoader(Squares(), batch_size=1, workers=-1)
    with pytest.raises(ModelError, match="augment needs a generator"):
        DataLoader(Squares(), batch_size=1, augment=Augment(Noise(1)))


def test_parts_of_a_data_set() -> None:
    whole = ArrayDataset(np.arange(10))
    parts = split(whole, 7, 3, rng=np.random.default_rng(0))
    assert [len(part) for part in parts] == [7, 3]
    assert sorted(int(part[i][0]) for part in parts for i in range(len(part))) == list(range(10))
    assert [Subset(whole, [3, 1])[i] for i in range(2)] == [(3,), (1,)]
    batches = DataLoader(Subset(Subset(whole, [9, 8, 7]), [2, 0, 1, 1]), batch_size=3)
    assert [batch.tolist() for (batch,) in batches] == [[7, 9, 8], [8]]
    others = DataLoader(Subset(Squares(), [6, 2]), batch_size=3)
    assert [y.tolist() for _, y in others] == [[6, 2]]
    with pytest.raises(ModelError, match=r"the parts \(7, 2\) must add up to the 10 samples, got 9"):
        split(whole, 7, 2, rng=np.random.default_rng(0))
    with pytest.raises(ModelError, match="numbers from 0 to 9"):
        Subset(whole, [10])


def test_samples_of_different_shapes_need_a_collate() -> None:
    class Growing(Squares):
        def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
            return np.ones(index + 1), index

    with pytest.raises(ModelError, match=r"samples of different shapes.*pass a collate="):
        list(DataLoader(Growing(), batch_size=2))

    def padded(samples: list[tuple[np.ndarray, int]]) -> Batch:
        return np.stack([np.pad(x, (0, 7 - len(x))) for x, _ in samples]), np.array([y for _, y in samples])

    batches = list(DataLoader(Growing(), batch_size=2, collate=padded))
    assert [x.shape for x, _ in batches] == [(2, 7)] * 3 + [(1, 7)]
    assert [x.sum() for x, _ in batches] == [3, 7, 11, 7]


# Workers ------------------------------------------------------------------------------------------------


def numbers(**options: object) -> DataLoader:
    return DataLoader(
        ArrayDataset(np.arange(40, dtype=np.float32), np.arange(40)),
        batch_size=3,
        shuffle=np.random.default_rng(5),
        augment=Augment(Noise(0.1)),
        **options,  # type: ignore[arg-type]
    )


def same(one: list[Batch], other: list[Batch]) -> bool:
    return len(one) == len(other) and all(
        a.tobytes() == b.tobytes() for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True)
    )


def test_threads_make_the_same_batches() -> None:
    plain = numbers()
    expected = [list(plain), list(plain)]
    assert not same(*expected)
    for workers, ahead in ((1, 1), (3, None), (2, 50)):
        loader = numbers(workers=workers, ahead=ahead)
        assert all(same(list(loader), passed) for passed in expected)


def test_processes_make_the_same_batches_and_end_with_the_pass() -> None:
    loader = numbers(workers=2, processes=True)
    for batch, expected in zip(loader, numbers(), strict=True):
        assert same([batch], [expected])
    assert not multiprocessing.active_children()


def loader_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("edgegen-loader")]


class Traced(ArrayDataset):
    """Arrays whose end can be watched."""


def traced(workers: int) -> tuple[DataLoader, weakref.ref[Traced]]:
    dataset = Traced(np.zeros((64, 1000)))
    return DataLoader(dataset, batch_size=4, workers=workers), weakref.ref(dataset)


def leave_early(loader: DataLoader) -> None:
    for _ in loader:
        assert loader_threads()
        break


def fail_inside(loader: DataLoader) -> None:
    with pytest.raises(KeyError):
        for _ in loader:
            raise KeyError


def drop_the_iterator(loader: DataLoader) -> None:
    iterator = iter(loader)
    next(iterator)
    assert loader_threads()
    del iterator


def never_begin(loader: DataLoader) -> None:
    iter(loader)


def finish(loader: DataLoader) -> None:
    assert len(list(loader)) == len(loader)


@pytest.mark.parametrize("how", [leave_early, fail_inside, drop_the_iterator, never_begin, finish])
def test_no_thread_and_no_reference_is_left(how: object) -> None:
    loader, alive = traced(workers=3)
    how(loader)  # type: ignore[operator]
    assert not loader_threads()
    assert alive() is not None
    del loader
    gc.collect()
    assert alive() is None


def test_an_iterator_outlives_its_loader_and_leaves_nothing() -> None:
    loader, alive = traced(workers=2)
    iterator = iter(loader)
    next(iterator)
    del loader
    assert len(list(iterator)) == 15
    assert not loader_threads()
    del iterator
    gc.collect()
    assert alive() is None


def test_no_batch_is_kept() -> None:
    loader, _ = traced(workers=2)
    seen = []
    for (batch,) in loader:
        seen.append(weakref.ref(batch))
    del batch
    gc.collect()
    assert len(seen) == 16 and not any(reference() is not None for reference in seen)


class Broken(Squares):
    """Fails at one sample."""

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        if index == 3:
            raise OverflowError(f"sample {index}")
        return super().__getitem__(index)


@pytest.mark.parametrize("workers", [0, 2])
def test_the_error_of_a_sample_arrives_as_it_is(workers: int) -> None:
    with pytest.raises(OverflowError, match="sample 3"):
        list(DataLoader(Broken(), batch_size=1, workers=workers))
    assert not loader_threads()


@pytest.mark.parametrize("leave", ["early", "error"])
def test_no_process_is_left(leave: str) -> None:
    loader = DataLoader(Broken(), batch_size=1, workers=1, processes=True)
    if leave == "early":
        for _ in loader:
            assert multiprocessing.active_children()
            break
    else:
        with pytest.raises(OverflowError, match="sample 3"):
            list(loader)
    assert not multiprocessing.active_children()
    assert not [t for t in threading.enumerate() if t is not threading.main_thread() and not t.daemon]


class Exiting(Squares):
    """Ends the very process."""

    def __getitem__(self, index: int) -> tuple[np.ndarray, int]:
        os._exit(3)


def test_a_process_that_dies_is_an_error() -> None:
    with pytest.raises(ToolError, match="a worker process ended before its work was done"):
        list(DataLoader(Exiting(), batch_size=1, workers=1, processes=True))
    assert not multiprocessing.active_children()


def test_what_cannot_be_sent_to_a_process() -> None:
    loader = DataLoader(Squares(), batch_size=1, workers=1, processes=True, transform=lambda batch: batch)
    with pytest.raises(ModelError, match="define them at the top of a module, or use threads"):
        list(loader)


# Position -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("stop", [0, 1, 7, 13, 14])
def test_a_pass_is_continued_where_it_was(workers: int, stop: int) -> None:
    reference, broken = numbers(), numbers(workers=workers)
    expected = [list(reference) for _ in range(2)]
    iterator = iter(broken)
    for _ in range(stop):
        next(iterator)
    assert broken.shuffle is not None
    state = json.loads(json.dumps(broken.state_dict()))
    generator = broken.shuffle.bit_generator.state
    iterator.close()  # type: ignore[attr-defined]
    resumed = numbers(workers=workers)
    assert resumed.shuffle is not None
    resumed.shuffle.bit_generator.state = generator
    resumed.load_state_dict(state)
    assert same(list(resumed), expected[0][stop:])
    assert same(list(resumed), expected[1])


def test_the_position_of_another_loader_is_refused() -> None:
    loader = numbers()
    next(iter(loader))
    state = loader.state_dict()
    with pytest.raises(ModelError, match="the state is that of another loader"):
        DataLoader(Squares(), batch_size=3).load_state_dict(state)
    with pytest.raises(ModelError, match=r"takes .* and 0 generators"):
        DataLoader(ArrayDataset(np.arange(40)), batch_size=3).load_state_dict(state)
    other = np.random.Generator(np.random.MT19937(1))
    strange = DataLoader(ArrayDataset(np.arange(40)), batch_size=3, shuffle=other)
    strange.load_state_dict(state)
    with pytest.raises(ModelError, match="MT19937 takes a state of its own kind, got one of PCG64"):
        list(strange)
