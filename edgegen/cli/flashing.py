"""`edgegen flash`."""

from __future__ import annotations

from pathlib import Path

from edgegen.cli.console import Output
from edgegen.cli.selecting import built_project, choose_source
from edgegen.codegen.project import Manifest, read_manifest
from edgegen.codegen.toolchain import run_pio
from edgegen.errors import UsageError
from edgegen.targets import Board, load_target


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
    """Upload a built project through PlatformIO, with the compiler that built it."""
    _check_protocol(load_target(target, board=board).board, target, protocol)
    folder = built_project(choose_source(model, show), target, output)
    manifest = read_manifest(folder)
    _check_board(manifest, board)
    with show.steps() as step:
        step(f"flashing {manifest.board}")
        run_pio(
            folder,
            target,
            targets=["upload"],
            compiler=manifest.image.compiler if manifest.image is not None else None,
            upload_port=port,
            upload_protocol=protocol,
        )
    show.say(f"flashed {manifest.board} with {folder}")


def _check_protocol(board: Board, target: str, protocol: str | None) -> None:
    if not board.protocols:
        raise UsageError(f"target {target} has nothing to flash; `edgegen run` runs its image")
    if protocol is not None and protocol not in board.protocols:
        raise UsageError(
            f"board {board.id} cannot be flashed by {protocol!r}; one of: {', '.join(board.protocols)}"
        )


def _check_board(manifest: Manifest, board: str | None) -> None:
    if board not in (None, manifest.board):
        raise UsageError(
            f"{manifest.title} was built for the board {manifest.board}; run "
            f"`python -m edgegen build --target {manifest.target} --board {board}` first"
        )
