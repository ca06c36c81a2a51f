"""A static Linux program in qemu-aarch64, as a Cortex-A53: newer instructions end it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from edgegen.emulate.image import load_elf
from edgegen.emulate.qemu_core import (
    NAME,
    check_fault,
    find_program,
    plugin_arguments,
    read_counts,
    run_process,
)
from edgegen.emulate.run import RunRequest, RunResult
from edgegen.emulate.unicorn_a53 import profile_of

INSTALL = "apt-get install qemu-user"


class QemuUser:
    """Runs where QEMU's user mode runs: Linux."""

    def run(self, request: RunRequest) -> RunResult:
        program = find_program("qemu-aarch64", INSTALL)
        image = load_elf(request.image)
        counting = plugin_arguments(image, wide=True) if request.count else []
        command = [program, "-cpu", "cortex-a53", *counting, str(request.image.resolve())]
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            ended = run_process(request, NAME, command, folder=folder, stdin=request.vectors)
            check_fault(request, image, ended)
            invocations = read_counts(folder) if request.count else []
        profiles = tuple(profile_of(image, blocks) for blocks in invocations)
        return RunResult(
            emulator=NAME,
            exit_code=ended.exit_code,
            results=ended.output,
            console=ended.console,
            instructions=tuple(p.instructions for p in profiles) if request.count else None,
            profiles=profiles,
        )


EMULATOR = QemuUser()
