"""What eager execution is doing just now: recording gradients, tracing for the freezer, and for which module.

The state lives in context variables, so threads and asynchronous tasks do not see each other's.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from edgegen.errors import ModelError


@dataclass(frozen=True)
class Mode:
    """`grad`: record what needs gradients. `tracing`: record everything and guard reads of traced values.

    `module` is the dotted path of the module that is running, and `names` the paths of all modules below the
    outermost one, by identity.
    """

    grad: bool = True
    tracing: bool = False
    module: str = ""
    names: Mapping[int, str] | None = None


@dataclass(frozen=True)
class SourceLine:
    """A line of the user's code, found on the call stack below the frames of this package."""

    file: str
    line: int

    @property
    def text(self) -> str:
        """The source text of the line without indentation; empty where the file cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        path = Path(self.file)
        if path.is_relative_to(Path.cwd()):
            path = path.relative_to(Path.cwd())
        return f"{path}:{self.line}"


_mode: ContextVar[Mode] = ContextVar("edgegen_frontend_mode", default=Mode())  # noqa: B039 (Mode is frozen)


def current() -> Mode:
    """The mode of this thread or task."""
    return _mode.get()


@contextmanager
def _entered(mode: Mode) -> Iterator[None]:
    token = _mode.set(mode)
    try:
        yield
    finally:
        _mode.reset(token)


@contextmanager
def no_grad() -> Iterator[None]:
    """Record nothing inside: for evaluation, and for updating parameters."""
    with _entered(replace(current(), grad=False)):
        yield


@contextmanager
def tracing() -> Iterator[None]:
    """Record every operation, and refuse to hand values that depend on the traced input to Python.

    Inside, `bool(x)`, `float(x)`, `int(x)`, `x.item()`, `x.numpy()`, `np.asarray(x)`, `x.data` and iteration
    raise `ModelError` with the file, the line and its text, for each `x` computed from an input of the trace.
    Parameters, buffers and constants may still be read: they are the same at every run of the frozen network.
    """
    with _entered(replace(current(), grad=False, tracing=True)):
        yield


@contextmanager
def module_scope(path: str, names: Mapping[int, str]) -> Iterator[None]:
    """Operations inside are recorded as belonging to the module at `path`."""
    with _entered(replace(current(), module=path, names=names)):
        yield


_HERE = str(Path(current.__code__.co_filename).parent)


def is_ours(file: str) -> bool:
    """Whether a source file belongs to this package rather than to its user."""
    return file.startswith(_HERE)


def caller() -> SourceLine:
    """The innermost line on the call stack that is not part of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return SourceLine(frame.f_code.co_filename, frame.f_lineno)


def fail(op: str, problem: str) -> NoReturn:
    """Raise `ModelError` for an operation that cannot be done: names it, its module and the user's line."""
    source = caller()
    module = f" '{current().module}'" if current().module else ""
    text = f" (`{source.text}`)" if source.text else ""
    raise ModelError(f"{op}{module}: {problem}, at {source}{text}")
