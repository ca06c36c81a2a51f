"""Batches of a data set."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from typing import Any

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.data.batches import Augment, Batch, BatchMaker, BatchTask, Collate, Transform
from edgegen.frontend.data.dataset import Dataset
from edgegen.frontend.data.prefetch import in_processes, in_threads
from edgegen.frontend.generators import generator_state, set_generator_state


class DataLoader:
    """Iterate over `dataset` in batches, each a tuple of arrays with a leading axis of samples.

    `shuffle` is the generator that draws a new order for each pass; without it the order is the data set's.
    `drop_last` leaves out a last batch that is not full. `collate` joins samples where stacking does not do.

    `augment` changes a batch at random, by a generator of the batch's own that is seeded from `rng`, by
    default the one of `shuffle`; `transform` is then applied to each batch, and draws nothing.

    With `workers`, batches are made ahead (`ahead` of them, by default two a worker) by that many threads, or
    by processes. The batches are the same either way. A data set for threads must bear being read by several
    at once. Workers live as long as the pass over the loader and end with it, however it ends.
    """

    def __init__(
        self,
        dataset: Dataset,
        *,
        batch_size: int,
        shuffle: np.random.Generator | None = None,
        drop_last: bool = False,
        collate: Collate | None = None,
        augment: Augment | None = None,
        transform: Transform | None = None,
        rng: np.random.Generator | None = None,
        workers: int = 0,
        processes: bool = False,
        ahead: int | None = None,
    ) -> None:
        if batch_size < 1:
            raise ModelError(f"DataLoader: batch_size takes a positive number, got {batch_size}")
        if workers < 0 or (ahead is not None and ahead < 1):
            raise ModelError(f"DataLoader: workers and ahead take no such numbers as {workers} and {ahead}")
        if augment is not None and rng is None and shuffle is None:
            raise ModelError("DataLoader: augment needs a generator: pass rng= or shuffle=")
        self.dataset, self.batch_size, self.drop_last = dataset, batch_size, drop_last
        self.shuffle, self.rng = shuffle, rng
        self.collate, self.augment, self.transform = collate, augment, transform
        self.workers, self.processes, self.ahead = workers, processes, ahead
        self._delivered = 0
        self._start: list[dict[str, Any]] = []
        self._resumed = False

    def __len__(self) -> int:
        full, rest = divmod(len(self.dataset), self.batch_size)
        return full + (1 if rest and not self.drop_last else 0)

    def __iter__(self) -> Iterator[Batch]:
        tasks = self._tasks()
        make = BatchMaker(self.dataset, self.collate, self.augment, self.transform)
        batches: Generator[Batch] = (make(task) for task in tasks)
        if self.workers:
            start = in_processes if self.processes else in_threads
            batches = start(make, tasks, workers=self.workers, ahead=self.ahead or 2 * self.workers)
        with closing(batches):
            for batch in batches:
                self._delivered += 1
                yield batch
        self._delivered, self._start = 0, []

    def state_dict(self) -> dict[str, Any]:
        """Where the latest pass is, as plain values: the batches given out, and the generators at its start.

        A pass that was left early counts as under way until the next one begins.
        """
        return {
            "samples": len(self.dataset),
            "batch_size": self.batch_size,
            "batch": self._delivered,
            "generators": list(self._start),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Let the next pass be the rest of the one that `state` was in the middle of.

        The generators are then left as they are found, since a pass draws from them at its start only.
        """
        own = {"samples": len(self.dataset), "batch_size": self.batch_size}
        given = {key: state.get(key) for key in own}
        expected = len(self._generators()) if state.get("batch") else 0
        if given != own or len(state.get("generators", [])) != expected:
            raise ModelError(
                f"DataLoader: the state is that of another loader: takes {own} and {expected} generators, "
                f"got {given} and {len(state.get('generators', []))}"
            )
        self._delivered, self._start = int(state["batch"]), list(state["generators"])
        self._resumed = bool(self._delivered)

    def _generators(self) -> list[np.random.Generator]:
        found = [self.shuffle, self.rng if self.augment is not None else None]
        return list({id(rng): rng for rng in found if rng is not None}.values())

    def _tasks(self) -> list[BatchTask]:
        """What is to be done in the pass that begins here, or in the rest of the one that was resumed."""
        first = self._delivered if self._resumed else 0
        now = [generator_state(rng) for rng in self._generators()]
        if self._resumed:
            self._set_generators(self._start)
        else:
            self._start = now
        tasks = self._drawn()
        if self._resumed:
            self._set_generators(now)
        self._delivered, self._resumed = first, False
        return tasks[first:]

    def _set_generators(self, states: list[dict[str, Any]]) -> None:
        for rng, state in zip(self._generators(), states, strict=True):
            set_generator_state(rng, state)

    def _drawn(self) -> list[BatchTask]:
        count = len(self.dataset)
        order = np.arange(count) if self.shuffle is None else self.shuffle.permutation(count)
        source = self.rng or self.shuffle
        seed = int(source.integers(2**63)) if self.augment is not None and source is not None else 0
        size = self.batch_size
        return [BatchTask(n, order[n * size : (n + 1) * size], seed) for n in range(len(self))]
