"""A project's own C on the machine that edgegen runs on: compiled into a shared library and called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cffi
import numpy as np

from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.toolchain import build_shared
from edgegen.codegen.vectors import pack_vectors
from edgegen.errors import MismatchError

COLLECTOR = Path(__file__).resolve().parent.parent / "firmware" / "harness" / "collect.c"


class HostProject:
    """The library of a model, callable."""

    def __init__(self, library: Path, model: str, graph: Graph) -> None:
        """Compile lib/<model>. ToolError if it does not compile for this machine."""
        source = library / "src"
        built = build_shared(
            [*sorted(source.glob("*.c")), COLLECTOR],
            include_dirs=[source, library / "include"],
            flags=("-ffp-contract=off", f"-DCOLLECT_HOOK={model}_trace", f"-D{model.upper()}_TRACE"),
            name=model,
        )
        self._model, self._graph = model, graph
        self._ffi = cffi.FFI()
        pointers = ["void *"] * (len(graph.inputs) + len(graph.outputs))
        self._ffi.cdef(f"""
            int {model}_invoke({", ".join(pointers)});
            void {model}_reset_state(void);
            int {model}_selftest(void);
            void harness_collect(void *buffer, int64_t bytes);
            int64_t harness_collected(void);
        """)
        self._library: Any = self._ffi.dlopen(str(built))

    def run(self, inputs: Sequence[Array], *, trace_bytes: int = 0) -> tuple[bytes, bytes]:
        """Packed outputs and, for `trace_bytes` a vector, the traces of vectors (V, *shape).

        A model with state takes them as a sequence that begins with a fresh one.
        """
        count = len(inputs[0])
        outputs = [np.zeros((count, *t.shape), t.dtype.numpy) for t in self._graph.output_tensors()]
        traces = np.zeros((count, trace_bytes), np.uint8)
        invoke = self._function("invoke")
        self._function("reset_state")()
        for vector in range(count):
            rows = [np.ascontiguousarray(array[vector]) for array in (*inputs, *outputs)]
            self._library.harness_collect(self._pointer(traces[vector]), trace_bytes)
            status = invoke(*(self._pointer(row) for row in rows))
            if status != 0:
                raise MismatchError(f"host C: {self._model}_invoke returned {status} for vector {vector}")
            self._check_trace(trace_bytes)
            for array, row in zip(outputs, rows[len(inputs) :], strict=True):
                array.reshape(count, -1)[vector] = row.reshape(-1)
        return pack_vectors(self._graph.output_tensors(), outputs), traces.tobytes()

    def selftest(self) -> int:
        """What the built-in self-test returns: 0 if all is well."""
        return int(self._function("selftest")())

    def _check_trace(self, trace_bytes: int) -> None:
        collected = self._library.harness_collected()
        if trace_bytes and collected != trace_bytes:
            raise MismatchError(f"host C: a trace has {collected} bytes instead of {trace_bytes}")

    def _function(self, name: str) -> Any:
        return getattr(self._library, f"{self._model}_{name}")

    def _pointer(self, array: Array) -> Any:
        return self._ffi.cast("void *", array.ctypes.data)
