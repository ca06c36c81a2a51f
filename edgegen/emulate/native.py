"""A program for this machine, run as it is."""

from __future__ import annotations

import signal
from pathlib import Path

from edgegen.emulate.qemu_core import run_process
from edgegen.emulate.run import RunRequest, RunResult, faulted

NAME = "native"
WINDOWS_EXCEPTION = 0xC0000000


class Native:
    """Standard input to standard output; nothing is measured."""

    def run(self, request: RunRequest) -> RunResult:
        program = str(request.image.resolve())
        ended = run_process(request, NAME, [program], folder=Path(program).parent, stdin=request.vectors)
        if ended.exit_code < 0:
            raise faulted(request, NAME, f"ended by {signal.Signals(-ended.exit_code).name}")
        if ended.exit_code >= WINDOWS_EXCEPTION:
            raise faulted(request, NAME, f"ended by exception 0x{ended.exit_code:08x}")
        return RunResult(NAME, ended.exit_code, ended.output, ended.console)


EMULATOR = Native()
