"""The process in which TensorFlow Lite Micro runs: `python -m edgegen.oracle.tflm_worker`.

A bad model can corrupt the runtime's heap, so each one gets a process. Where the system can fork, this
process imports the runtime once and forks for every request; elsewhere it serves one request and ends.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
import tflite
from tflite_micro.python.tflite_micro import runtime

from edgegen.codegen.graph import Array
from edgegen.oracle.wire import Reply, Request, receive, send

_STATEFUL = frozenset(
    getattr(tflite.BuiltinOperator, name)
    for name in ("VAR_HANDLE", "CALL_ONCE", "SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM")
)


def main() -> None:
    """Serve requests from standard input until it ends."""
    # whatever the runtime prints must not get into the replies
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    serve = _serve_in_fork if hasattr(os, "fork") else _serve_here
    while True:
        request = receive(sys.stdin.buffer)
        if not isinstance(request, Request):
            return
        send(replies, serve(request))


def _serve_here(request: Request) -> Reply:
    with tempfile.TemporaryFile() as log:
        os.dup2(log.fileno(), 2)
        reply = _evaluate(request)
        return replace(reply, log=_text(log))


def _serve_in_fork(request: Request) -> Reply:
    with tempfile.TemporaryFile() as log:
        read_end, write_end = os.pipe()
        child = os.fork()
        if child == 0:
            _child(request, write_end, log)
        os.close(write_end)
        with os.fdopen(read_end, "rb") as stream:
            reply = receive(stream)
        _, status = os.waitpid(child, 0)
        if not isinstance(reply, Reply):
            reply = Reply(error=_cause(status, request))
        return replace(reply, log=_text(log))


def _child(request: Request, write_end: int, log: Any) -> None:
    """The forked process: evaluate, reply, and leave without running any destructor."""
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    signal.alarm(request.timeout_seconds)
    with os.fdopen(write_end, "wb") as stream:
        send(stream, _evaluate(request))
    os._exit(0)


def _cause(status: int, request: Request) -> str:
    if not os.WIFSIGNALED(status):
        return f"ended with status {os.waitstatus_to_exitcode(status)}"
    number = os.WTERMSIG(status)
    if number == signal.SIGALRM:
        return f"did not finish within {request.timeout_seconds} s"
    return f"crashed with {signal.Signals(number).name}"


def _text(log: BinaryIO) -> str:
    log.seek(0)
    return log.read(1 << 16).decode("utf-8", errors="replace").strip()


def _evaluate(request: Request) -> Reply:
    try:
        return _run(request)
    except Exception as error:
        return Reply(error=str(error) or type(error).__name__)


def _run(request: Request) -> Reply:
    """Each vector through the interpreter; a new one for each where the model keeps state."""
    model = tflite.Model.GetRootAs(request.model, 0)
    vectors = len(request.inputs[0]) if request.inputs else 1
    renew = not request.sequence and _stateful(model)
    rows, traced = [], []
    interpreter = _interpreter(request)
    for vector in range(vectors):
        if renew and vector:
            interpreter = _interpreter(request)
        rows.append(_invoke(interpreter, model, [array[vector] for array in request.inputs]))
        if request.trace:
            traced.append(_tensors(interpreter, model))
    tensors = {index: np.stack([row[index] for row in traced]) for index in (traced[0] if traced else {})}
    return Reply(outputs=tuple(np.stack(column) for column in zip(*rows, strict=True)), tensors=tensors)


def _interpreter(request: Request) -> Any:
    kinds = runtime.InterpreterConfig
    kind = kinds.kPreserveAllTensors if request.trace else kinds.kAllocationRecording
    return runtime.Interpreter.from_bytes(
        request.model, arena_size=request.arena_bytes, intrepreter_config=kind
    )


def _invoke(interpreter: Any, model: Any, inputs: Sequence[Array]) -> list[Array]:
    for index, array in enumerate(inputs):
        interpreter.set_input(array, index)
    interpreter.invoke()
    return [interpreter.get_output(index).copy() for index in range(model.Subgraphs(0).OutputsLength())]


def _tensors(interpreter: Any, model: Any) -> dict[int, Array]:
    """Every computed tensor of the main subgraph."""
    graph = model.Subgraphs(0)
    found = {}
    for index in range(graph.TensorsLength()):
        tensor = graph.Tensors(index)
        if model.Buffers(tensor.Buffer()).DataLength() == 0 and tensor.Type() != tflite.TensorType.RESOURCE:
            found[index] = interpreter.GetTensor(index, 0)["tensor_data"].copy()
    return found


def _stateful(model: Any) -> bool:
    codes = [model.OperatorCodes(index) for index in range(model.OperatorCodesLength())]
    return any(max(code.BuiltinCode(), code.DeprecatedBuiltinCode()) in _STATEFUL for code in codes)


if __name__ == "__main__":
    main()
