"""Making batches ahead in threads or processes, which never outlive the pass they work for."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

from edgegen.errors import ModelError, ToolError
from edgegen.frontend.data.batches import Batch, BatchMaker, BatchTask

# What a worker process was started for; nothing in the process that started it.
_maker: list[BatchMaker] = []


def in_threads(make: BatchMaker, tasks: Iterable[BatchTask], *, workers: int, ahead: int) -> Generator[Batch]:
    """The batches in order, made by `workers` threads, up to `ahead` before they are asked for."""
    pool = ThreadPoolExecutor(workers, thread_name_prefix="edgegen-loader")
    return _ordered(pool, (pool.submit(make, task) for task in tasks), ahead)


def in_processes(
    make: BatchMaker, tasks: Iterable[BatchTask], *, workers: int, ahead: int
) -> Generator[Batch]:
    """The batches in order, made by `workers` fresh processes, which get the data set once."""
    try:
        content = pickle.dumps(make)
    except Exception as problem:
        # The pickle protocol documents no single type: every object may raise its own.
        raise ModelError(
            f"DataLoader: the data set or a function of it cannot be sent to a process ({problem}); define "
            "them at the top of a module, or use threads (processes=False)"
        ) from problem
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(content,))
    return _ordered(pool, (pool.submit(_work, task) for task in tasks), ahead)


def _begin(content: bytes) -> None:
    # Ctrl-C reaches every process of a terminal; when to stop is for the one that started this one to decide.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _maker[:] = [pickle.loads(content)]


def _work(task: BatchTask) -> Batch:
    return _maker[0](task)


def _ordered(pool: Executor, submitted: Iterable[Future[Batch]], ahead: int) -> Generator[Batch]:
    """Results in order. However this ends, no worker is left: it runs when the iterator is dropped, too."""
    pending: deque[Future[Batch]] = deque()
    try:
        for future in submitted:
            pending.append(future)
            if len(pending) > ahead:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    except BrokenProcessPool as problem:
        raise ToolError(
            "DataLoader: a worker process ended before its work was done; was memory short, or does the "
            'script lack `if __name__ == "__main__":`, which new processes need?'
        ) from problem
    finally:
        pending.clear()
        pool.shutdown(wait=True, cancel_futures=True)
