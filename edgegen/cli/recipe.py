"""What a recipe of training needs around it: its options, and errors that end in one message.

A train.py ends with

    if __name__ == "__main__":
        recipe(train, epochs=10, file=__file__)

and can then be run by `edgegen train` or by Python itself.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from edgegen.cli.console import Output
from edgegen.errors import EdgegenError, UsageError

INTERRUPTED = 130


@dataclass(frozen=True)
class Options:
    """What the recipe was asked for. `output` is the weights file to write, `runs` the folder of all runs."""

    seed: int
    epochs: int
    output: Path
    runs: Path
    resume: bool

    def run_folder(self) -> Path:
        """The folder of this run: a new one, numbered from 1, or the latest to resume it.

        UsageError if there is none to resume.
        """
        numbers = [int(f.name) for f in self.runs.glob("*") if f.name.isdigit() and f.is_dir()]
        latest = max(numbers, default=0)
        if self.resume and not latest:
            raise UsageError(f"there is no run in {self.runs} to resume")
        return self.runs / str(latest if self.resume else latest + 1)


def recipe(
    train: Callable[[Options], None], *, epochs: int, file: str, arguments: list[str] | None = None
) -> NoReturn:
    """Run `train` with the options of the command line, and end with its status.

    `epochs` is how many there are by default; weights and runs go beside `file`, the recipe's own `__file__`.
    An error of edgegen becomes one message and its status; Ctrl-C ends with status 130.
    """
    options = _parse(epochs, Path(file).parent, arguments)
    try:
        train(options)
    except EdgegenError as problem:
        Output().fail(str(problem))
        sys.exit(problem.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(0)


def _parse(epochs: int, folder: Path, arguments: list[str] | None) -> Options:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=0, help="of every generator")
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument(
        "--output", type=Path, default=folder / "weights.safetensors", help="weights to write"
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the latest run, which was interrupted"
    )
    parser.add_argument("--runs", type=Path, default=folder / "runs", help="folder of the records of runs")
    given = parser.parse_args(arguments)
    return Options(given.seed, given.epochs, given.output, given.runs, given.resume)
