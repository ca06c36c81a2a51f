"""`edgegen train`: runs a model's own recipe."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from edgegen.cli.console import Output
from edgegen.codegen.source import bundled_example
from edgegen.errors import ToolError, UsageError

RECIPE = "train.py"


def run_train(folder: Path | None, *, seed: int, epochs: int | None, output: Path, show: Output) -> None:
    """Run train.py of a folder; it takes --seed, --epochs and --output."""
    recipe = (bundled_example().parent if folder is None else folder) / RECIPE
    if not recipe.is_file():
        raise UsageError(f"there is no {recipe}")
    command = [sys.executable, str(recipe), "--seed", str(seed), "--output", str(output)]
    command += [] if epochs is None else ["--epochs", str(epochs)]
    status = subprocess.run(
        command, check=False, stdout=subprocess.DEVNULL if show.quiet else None
    ).returncode
    if status != 0:
        raise ToolError(f"{recipe} ended with status {status}")
    show.say(f"weights: {output}")
