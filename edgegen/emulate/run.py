"""Running an image: the request, the result, and the checks that every emulator shares."""

from __future__ import annotations

import importlib
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from edgegen.emulate.layers import LayerCost
from edgegen.emulate.profile import Profile
from edgegen.errors import MismatchError, ToolError
from edgegen.targets import Target

EXIT_MEANINGS = {
    10: "the vectors or results file could not be opened",
    11: "the vectors could not be read",
    12: "the last input vector is cut off",
    13: "the model returned an error",
    14: "the results could not be written",
    112: "the processor took a fault",
}
OUTPUT_LAYER = -1


@dataclass(frozen=True)
class RunRequest:
    """What to run. `vectors` are input tensors one after the other; `count` asks for instruction counts.

    `layers` asks for these by layer, which only an emulator can give that stops at a kernel's entry.
    """

    image: Path
    target: Target
    vectors: bytes
    timeout_s: float
    count: bool
    layers: bool = False


@dataclass(frozen=True)
class RunResult:
    """What came back.

    `results` are the output tensors one after the other, or trace records (see `read_trace`).
    `stack_bytes` is the most stack that was in use, of the whole program; `invoke_stack_bytes` that of the
    model alone, in its first 16 invocations. Both reach to the deepest byte written; a static bound may be
    larger. `profiles` has an entry for each vector, if instructions were counted address by address;
    `instructions` and `cycles` are per vector. `layers` has the costs of each layer for each vector, layer -1
    being what runs outside of kernels. None: this emulator does not measure it.
    """

    emulator: str
    exit_code: int
    results: bytes
    console: str
    stack_bytes: int | None = None
    invoke_stack_bytes: int | None = None
    instructions: tuple[int, ...] | None = None
    cycles: tuple[int, ...] | None = None
    profiles: tuple[Profile, ...] = ()
    layers: tuple[Mapping[int, LayerCost], ...] = ()


@dataclass(frozen=True)
class TraceRecord:
    """Output of one layer for one vector; `layer` is -1 for the model's output."""

    layer: int
    data: bytes


class Emulator(Protocol):
    """A module of this package has one as `EMULATOR`; a target names the module in its target.toml."""

    def run(self, request: RunRequest) -> RunResult:
        """Run to the end. MismatchError for a fault or timeout, ToolError if the emulator is missing."""


def run_image(
    image: Path,
    target: Target,
    vectors: bytes,
    *,
    output_size: int | None,
    timeout_s: float = 60.0,
    emulator: str | None = None,
    count: bool = False,
    input_size: int | None = None,
    layers: bool = False,
) -> RunResult:
    """Feed vectors to an image and return what it answers.

    `output_size` and `input_size` are bytes a vector; with both, the length of the results is checked. Leave
    `output_size` None for a trace build. `count` also counts the instructions of every invocation,
    `layers` those of every layer.
    Raises MismatchError for a fault, a timeout, a non-zero exit or results that are too short or too long;
    ToolError for a missing emulator or image.
    """
    choice = target.emulator(emulator)
    if not image.is_file():
        raise ToolError(f"{target.name}: there is no image {image}; build it first")
    module = importlib.import_module(f"edgegen.emulate.{choice.module}")
    chosen: Emulator = module.EMULATOR
    result = chosen.run(RunRequest(image, target, vectors, timeout_s, count or layers, layers))
    _check_exit(result, target)
    if output_size is not None:
        _check_length(result, target, output_size, len(vectors) // input_size if input_size else None)
    return result


def _check_exit(result: RunResult, target: Target) -> None:
    if result.exit_code == 0:
        return
    meaning = EXIT_MEANINGS.get(result.exit_code, "unknown exit code")
    said = f"\n{result.console.strip()}" if result.console.strip() else ""
    raise MismatchError(
        f"{target.name} in {result.emulator}: the program ended with status {result.exit_code}: "
        f"{meaning}{said}"
    )


def _check_length(result: RunResult, target: Target, output_size: int, vectors: int | None) -> None:
    got = len(result.results)
    whole = got % output_size == 0 if vectors is None else got == output_size * vectors
    if not whole:
        expected = f"a multiple of {output_size}" if vectors is None else f"{vectors} x {output_size}"
        raise MismatchError(
            f"{target.name} in {result.emulator}: truncated result: expected {expected} bytes, got {got}"
        )


def timed_out(request: RunRequest, emulator: str, where: str = "") -> MismatchError:
    """The error for a program that does not end."""
    place = f"; it was at {where}" if where else ""
    return MismatchError(
        f"{request.target.name} in {emulator}: timeout: no end after {request.timeout_s:g} seconds{place}"
    )


def faulted(request: RunRequest, emulator: str, what: str) -> MismatchError:
    """The error for a program that does what the hardware forbids."""
    return MismatchError(f"{request.target.name} in {emulator}: fault: {what}")


def read_trace(results: bytes) -> list[list[TraceRecord]]:
    """Results of a trace build: for each vector its records, in execution order, the output last.

    MismatchError if the records are cut off.
    """
    vectors: list[list[TraceRecord]] = [[]]
    at = 0
    while at < len(results):
        head = results[at : at + 8]
        layer, size = struct.unpack("<ii", head) if len(head) == 8 else (0, -1)
        data = results[at + 8 : at + 8 + max(size, 0)]
        if size < 0 or len(data) < size:
            raise MismatchError(f"trace cut off or damaged at byte {at} of {len(results)}")
        at += 8 + size
        vectors[-1].append(TraceRecord(layer, data))
        if layer == OUTPUT_LAYER:
            vectors.append([])
    return [vector for vector in vectors if vector]
