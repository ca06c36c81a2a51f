"""A WASI command in Node.js: a second WASI runtime."""

from __future__ import annotations

import tempfile
from pathlib import Path

from edgegen.emulate.qemu_core import find_program, run_process
from edgegen.emulate.run import RunRequest, RunResult, faulted

NAME = "node"
SCRIPT = Path(__file__).with_name("node_wasi.mjs")
TRAPPED = 134


class NodeWasi:
    """Needs Node.js 20 or newer on PATH."""

    def run(self, request: RunRequest) -> RunResult:
        node = find_program("node", "https://nodejs.org")
        command = [node, "--no-warnings", str(SCRIPT), str(request.image.resolve())]
        with tempfile.TemporaryDirectory() as name:
            ended = run_process(request, NAME, command, folder=Path(name), stdin=request.vectors)
        if ended.exit_code == TRAPPED:
            raise faulted(request, NAME, ended.console.strip())
        return RunResult(NAME, ended.exit_code, ended.output, ended.console)


EMULATOR = NodeWasi()
