"""`edgegen train`: runs a model's own recipe."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import typer

from edgegen.cli.console import Output
from edgegen.cli.recipe import INTERRUPTED
from edgegen.codegen.source import CONFIG, ModelSource, bundled_example
from edgegen.errors import ToolError, UsageError

RECIPE = "train.py"
RUNS = "runs"
WEIGHTS = Path("weights.safetensors")
NAMED = range(2, 7)
"""Statuses with which a recipe ends that has already said what is wrong."""


def run_train(
    folder: Path | None,
    *,
    seed: int,
    epochs: int | None,
    output: Path | None,
    resume: bool,
    show: Output,
) -> None:
    """Run train.py of a folder, by default of the project here; it takes --seed, --epochs and --output."""
    project = folder if folder is not None or not Path(CONFIG).is_file() else Path()
    if folder is None:
        show.note("model: the bundled example mnist" if project is None else f"model: {CONFIG}")
    recipe = (bundled_example().parent if project is None else project) / RECIPE
    if not recipe.is_file():
        raise UsageError(f"there is no {recipe}")
    weights = output or _weights(project)
    command = [sys.executable, str(recipe), "--seed", str(seed), "--output", str(weights)]
    command += [] if epochs is None else ["--epochs", str(epochs)]
    command += ["--resume"] if resume else []
    # Nothing is written beside the example, which may lie where nobody may write.
    command += ["--runs", RUNS] if project is None else []
    status = _run(command, quiet=show.quiet)
    if status in (INTERRUPTED, -signal.SIGINT):
        raise KeyboardInterrupt
    if status in NAMED:
        raise typer.Exit(status)
    if status != 0:
        raise ToolError(f"{recipe} ended with status {status}")
    show.say(f"weights: {weights}")


def _weights(project: Path | None) -> Path:
    """Where the weights of a project go: where its edgegen.toml expects them, else ./weights.safetensors."""
    if project is not None and (project / CONFIG).is_file():
        from edgegen.codegen.python_model import read_python_model

        source = ModelSource("python", project / CONFIG, str(project / CONFIG))
        return read_python_model(source).weights or WEIGHTS
    return WEIGHTS


def _run(command: list[str], *, quiet: bool) -> int:
    """The status of the recipe. Ctrl-C reaches it as well; then this waits until it has saved what it has."""
    out, err = (subprocess.DEVNULL, subprocess.PIPE) if quiet else (None, None)
    with subprocess.Popen(command, stdout=out, stderr=err) as process:
        said = _waited(process)
    if process.returncode not in (0, INTERRUPTED):
        sys.stderr.write(said.decode(errors="replace"))
    return int(process.returncode)


def _waited(process: subprocess.Popen[bytes]) -> bytes:
    """What a process said on standard error, once it has ended."""
    while True:
        try:
            return process.communicate()[1] or b""
        except KeyboardInterrupt:
            continue
