"""A bare-metal Cortex-M4 in qemu-system-arm: a second opinion on unicorn, and on unaligned accesses."""

from __future__ import annotations

import tempfile
from pathlib import Path

from edgegen.emulate.decode import ThumbDecoder
from edgegen.emulate.image import ElfImage, load_elf
from edgegen.emulate.qemu_core import (
    NAME,
    check_fault,
    find_program,
    plugin_arguments,
    read_counts,
    run_process,
)
from edgegen.emulate.run import RunRequest, RunResult
from edgegen.emulate.unicorn_m4 import profile_of
from edgegen.errors import ToolError

INSTALL = "apt-get install qemu-system-arm"
QUIET = ("-display", "none", "-monitor", "none", "-serial", "none")
SEMIHOSTING = ("-semihosting-config", "enable=on,target=native")


class QemuSystem:
    """The machine is the board's `qemu_machine`, whose RAM may be larger than the budget."""

    def run(self, request: RunRequest) -> RunResult:
        program = find_program("qemu-system-arm", INSTALL)
        machine = request.target.board.qemu_machine
        if machine is None:
            raise ToolError(f"QEMU has no machine for board {request.target.board.id}; use another emulator")
        image = load_elf(request.image)
        counting = plugin_arguments(image, wide=False) if request.count else []
        command = [
            program,
            "-M",
            machine,
            *QUIET,
            *SEMIHOSTING,
            *counting,
            "-kernel",
            str(request.image.resolve()),
        ]
        with tempfile.TemporaryDirectory() as name:
            return self._run_in(Path(name), command, image, request)

    def _run_in(self, folder: Path, command: list[str], image: ElfImage, request: RunRequest) -> RunResult:
        (folder / "vectors.bin").write_bytes(request.vectors)
        ended = run_process(request, NAME, command, folder=folder)
        check_fault(request, image, ended)
        results = folder / "results.bin"
        decode = ThumbDecoder(image)
        invocations = read_counts(folder) if request.count else []
        profiles = tuple(profile_of(image, blocks, decode) for blocks in invocations)
        return RunResult(
            emulator=NAME,
            exit_code=ended.exit_code,
            results=results.read_bytes() if results.is_file() else b"",
            console=ended.console,
            instructions=tuple(p.instructions for p in profiles) if request.count else None,
            cycles=tuple(p.cycles or 0 for p in profiles) if request.count else None,
            profiles=profiles,
        )


EMULATOR = QemuSystem()
