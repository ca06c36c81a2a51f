"""Ctrl-C that waits for the end of the step, so that what is saved is whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self


class Interruption:
    """Inside, the first Ctrl-C only sets `requested`; the second one interrupts at once, as does the first in
    a part marked by `at_once`.

    In other threads than the main one, signals do not arrive, and nothing is changed.
    """

    def __init__(self) -> None:
        self.requested = False
        self._at_once = False
        self._before: Any = None

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Inside, nothing is changed that is saved, so that nobody need wait for its end."""
        self._at_once = True
        try:
            if self.requested:
                raise KeyboardInterrupt
            yield
        finally:
            self._at_once = False

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.requested or self._at_once:
            raise KeyboardInterrupt
        self.requested = True
