"""What goes between an oracle and its worker process: pickled frozen dataclasses with a length in front."""

from __future__ import annotations

import pickle
import struct
from dataclasses import dataclass, field
from typing import IO

from edgegen.codegen.graph import Array

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, eq=False)
class Request:
    """A model and its inputs, each (V, *shape). `trace` asks for all tensors."""

    model: bytes
    inputs: tuple[Array, ...]
    sequence: bool
    trace: bool
    arena_bytes: int
    timeout_seconds: int
    kernels: str


@dataclass(frozen=True, eq=False)
class Reply:
    """Results, or `error` when there are none and `log`, what the runtime wrote meanwhile."""

    outputs: tuple[Array, ...] = ()
    tensors: dict[int, Array] = field(default_factory=dict)
    error: str = ""
    log: str = ""


def send(stream: IO[bytes], message: Request | Reply) -> None:
    send_body(stream, pickle.dumps(message, protocol=5))


def send_body(stream: IO[bytes], body: bytes) -> None:
    """Pass on what `receive_body` got."""
    stream.write(_LENGTH.pack(len(body)))
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> Request | Reply | None:
    """The next message; None at the end of the stream or of a message cut short."""
    body = receive_body(stream)
    if body is None:
        return None
    message = pickle.loads(body)
    assert isinstance(message, Request | Reply)
    return message


def receive_body(stream: IO[bytes]) -> bytes | None:
    """The next message as it came: large replies need not be unpacked on their way."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    body = stream.read(length)
    return body if len(body) == length else None
