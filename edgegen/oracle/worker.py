"""The server side of an oracle: a process that runs models for the one that started it.

A bad model can corrupt the runtime's heap, so each one gets a process. Where the system can fork, the server
imports the runtime once and forks for every request; elsewhere it serves one request and ends.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable
from typing import IO

import tflite

from edgegen.codegen.export.layout import operator_code
from edgegen.oracle.wire import Reply, Request, receive, receive_body, send, send_body

Evaluate = Callable[[Request], Reply]
_LOG_BYTES = 1 << 16
_STATEFUL = frozenset(
    getattr(tflite.BuiltinOperator, name)
    for name in ("VAR_HANDLE", "CALL_ONCE", "SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM")
)


def stateful(data: bytes) -> bool:
    """Whether a model has an operator that remembers something between invocations."""
    model = tflite.Model.GetRootAs(data, 0)
    codes = [model.OperatorCodes(index) for index in range(model.OperatorCodesLength())]
    return any(operator_code(code) in _STATEFUL for code in codes)


def serve(evaluate: Evaluate) -> None:
    """Answer requests from standard input: all of them if the argument is `fork`, one if it is `once`."""
    # whatever the runtime prints must not get into the replies
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    answer = _in_fork if sys.argv[1] == "fork" else _here
    while isinstance(request := receive(sys.stdin.buffer), Request):
        with tempfile.TemporaryFile() as log:
            answer(evaluate, request, log, replies)
        if answer is _here:
            return


def _here(evaluate: Evaluate, request: Request, log: IO[bytes], replies: IO[bytes]) -> None:
    os.dup2(log.fileno(), 2)
    send(replies, _guarded(evaluate, request, log))


def _in_fork(evaluate: Evaluate, request: Request, log: IO[bytes], replies: IO[bytes]) -> None:
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        _child(evaluate, request, log, write_end)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as stream:
        body = receive_body(stream)
    _, status = os.waitpid(child, 0)
    if body is not None:
        send_body(replies, body)
    else:
        send(replies, Reply(error=_cause(status, request), log=_text(log)))


def _child(evaluate: Evaluate, request: Request, log: IO[bytes], write_end: int) -> None:
    """The forked process: evaluate, reply, and leave without running any destructor."""
    os.dup2(log.fileno(), 1)
    os.dup2(log.fileno(), 2)
    signal.alarm(request.timeout_seconds)
    with os.fdopen(write_end, "wb") as stream:
        send(stream, _guarded(evaluate, request, log))
    os._exit(0)


def _guarded(evaluate: Evaluate, request: Request, log: IO[bytes]) -> Reply:
    try:
        return evaluate(request)
    except Exception as error:
        return Reply(error=str(error) or type(error).__name__, log=_text(log))


def _cause(status: int, request: Request) -> str:
    if not os.WIFSIGNALED(status):
        return f"ended with status {os.waitstatus_to_exitcode(status)}"
    number = os.WTERMSIG(status)
    if number == signal.SIGALRM:
        return f"did not finish within {request.timeout_seconds} s"
    return f"crashed with {signal.Signals(number).name}"


def _text(log: IO[bytes]) -> str:
    log.seek(0)
    return log.read(_LOG_BYTES).decode("utf-8", errors="replace").strip()
