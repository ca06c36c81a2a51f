"""`edgegen flash`."""

from __future__ import annotations

from pathlib import Path

from edgegen.cli.console import Output
from edgegen.cli.selecting import built_project, choose_source
from edgegen.codegen.toolchain import run_pio
from edgegen.errors import UsageError
from edgegen.targets import load_target


def run_flash(
    model: str | None,
    target: str,
    output: Path,
    *,
    protocol: str | None,
    port: str | None,
    board: str | None,
    show: Output,
) -> None:
    """Upload a built project through PlatformIO."""
    chosen = load_target(target, board=board)
    if not chosen.board.protocols:
        raise UsageError(f"target {target} has nothing to flash; `edgegen run` runs its image")
    if protocol is not None and protocol not in chosen.board.protocols:
        raise UsageError(
            f"board {chosen.board.id} cannot be flashed by {protocol!r}; "
            f"one of: {', '.join(chosen.board.protocols)}"
        )
    folder = built_project(choose_source(model, show), target, output)
    with show.steps() as step:
        step(f"flashing {chosen.board.id}")
        run_pio(folder, target, targets=["upload"], upload_port=port, upload_protocol=protocol)
    show.say(f"flashed {folder}")
