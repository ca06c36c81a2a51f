"""TensorFlow Lite Micro's reference kernels, through the `tflite-micro` package: the oracle of exactness."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from edgegen.codegen.graph import Array
from edgegen.errors import ToolError
from edgegen.oracle.base import OracleError, Trace
from edgegen.oracle.wire import Reply, Request, receive, send

ARENA_BYTES = 1 << 26
"""Far more than a microcontroller's model needs; pages that are never touched cost nothing."""
TIMEOUT_SECONDS = 300


class TflmOracle:
    """Runs .tflite models in TensorFlow Lite Micro, each in a process of its own.

    Use it as a context manager or `close` it. A model that the runtime refuses, or on which it crashes or
    hangs, raises OracleError and harms nothing else.
    """

    def __init__(self, *, arena_bytes: int = ARENA_BYTES, timeout_seconds: int = TIMEOUT_SECONDS) -> None:
        self._arena_bytes = arena_bytes
        self._timeout_seconds = timeout_seconds
        self._worker: subprocess.Popen[bytes] | None = None

    @staticmethod
    def version() -> str:
        """The version of the `tflite-micro` package; ToolError where it is not installed."""
        if importlib.util.find_spec("tflite_micro") is None:
            raise ToolError(
                "TensorFlow Lite Micro is not installed: `pip install edgegen[tflm]` (its package exists for "
                "Linux on x86-64)"
            )
        return importlib.metadata.version("tflite-micro")

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
        request = Request(
            model=model,
            inputs=tuple(inputs),
            sequence=sequence,
            trace=trace,
            arena_bytes=self._arena_bytes,
            timeout_seconds=self._timeout_seconds,
        )
        reply = self._exchange(request)
        if reply.error:
            log = f"; it wrote: {reply.log}" if reply.log else ""
            raise OracleError(f"TensorFlow Lite Micro did not run the model: {reply.error}{log}")
        return reply

    def _exchange(self, request: Request) -> Reply:
        if self._worker is None or not hasattr(os, "fork"):
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
            [sys.executable, "-m", "edgegen.oracle.tflm_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
        )
