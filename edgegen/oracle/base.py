"""What the oracles have in common: a worker process that runs models, results, and how they fail."""

from __future__ import annotations

import os
import subprocess
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import ClassVar, Self

from edgegen.codegen.graph import Array
from edgegen.errors import MismatchError
from edgegen.oracle.wire import Reply, Request, receive, send

ARENA_BYTES = 1 << 26
"""Far more than a microcontroller's model needs; pages that are never touched cost nothing."""
TIMEOUT_SECONDS = 300
FORKS = hasattr(os, "fork")
"""Whether the worker can stay and fork for each model; it is started anew for each one otherwise."""


class OracleError(MismatchError):
    """The other runtime could not run the model: it refused, crashed, or did not finish."""


@dataclass(frozen=True, eq=False)
class Trace:
    """Outputs, and every tensor by its index in the file's main subgraph, each (V, *shape)."""

    outputs: tuple[Array, ...]
    tensors: Mapping[int, Array]


class Oracle(ABC):
    """Runs .tflite models in another runtime, each in a process of its own.

    Use it as a context manager or `close` it. A model that the runtime refuses, or on which it crashes or
    hangs, raises OracleError and harms nothing else.
    """

    name: ClassVar[str]
    module: ClassVar[str]
    """The module that the worker process runs."""

    def __init__(
        self,
        *,
        arena_bytes: int = ARENA_BYTES,
        timeout_seconds: int = TIMEOUT_SECONDS,
        kernels: str = "default",
    ) -> None:
        self._kernels = kernels
        self._arena_bytes = arena_bytes
        self._timeout_seconds = timeout_seconds
        self._worker: subprocess.Popen[bytes] | None = None

    @staticmethod
    @abstractmethod
    def version() -> str:
        """The version of the runtime's package; ToolError where it is not installed."""

    def run(self, model: bytes, inputs: Sequence[Array], *, sequence: bool = False) -> tuple[Array, ...]:
        """Outputs of a model, each (V, *shape), for one array (V, *shape) an input.

        State goes on from vector to vector if `sequence`, and is fresh for each one otherwise.
        """
        return self._ask(model, inputs, sequence=sequence, trace=False).outputs

    def trace(self, model: bytes, inputs: Sequence[Array], *, sequence: bool = False) -> Trace:
        """`run` that also gives every tensor that an operator computed."""
        reply = self._ask(model, inputs, sequence=sequence, trace=True)
        return Trace(outputs=reply.outputs, tensors=reply.tensors)

    def close(self) -> None:
        """End the worker process."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.communicate()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, model: bytes, inputs: Sequence[Array], *, sequence: bool, trace: bool) -> Reply:
        if len({len(array) for array in inputs}) > 1:
            raise ValueError(f"inputs of {[len(array) for array in inputs]} vectors")
        request = Request(
            model=model,
            inputs=tuple(inputs),
            sequence=sequence,
            trace=trace,
            arena_bytes=self._arena_bytes,
            timeout_seconds=self._timeout_seconds,
            kernels=self._kernels,
        )
        reply = self._exchange(request)
        if reply.error:
            log = f"; it wrote: {reply.log}" if reply.log else ""
            raise OracleError(f"{self.name} did not run the model: {reply.error}{log}")
        return reply

    def _exchange(self, request: Request) -> Reply:
        if self._worker is None or not FORKS:
            self.close()
            self._worker = self._start()
        assert self._worker.stdin is not None and self._worker.stdout is not None
        try:
            send(self._worker.stdin, request)
            reply = receive(self._worker.stdout)
        except OSError:
            reply = None
        if isinstance(reply, Reply):
            return reply
        status = self._worker.wait()
        self.close()
        return Reply(error=f"its process ended with status {status}")

    def _start(self) -> subprocess.Popen[bytes]:
        self.version()
        # a forking process must have no other threads, and NumPy's library would start some
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(
            [sys.executable, "-m", self.module, "fork" if FORKS else "once"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
