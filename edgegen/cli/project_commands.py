"""The commands with which a project of one's own begins: new and train."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from edgegen.cli.console import Output

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def new(
    name: Annotated[Path, typer.Argument(help="The project: a folder that is not there yet, or empty.")],
    quiet: Quiet = False,
) -> None:
    """Begin a project: a network, data, a recipe of training, ready to run and to be replaced by your own.

    Example: `edgegen new demo && cd demo && edgegen train && edgegen build && edgegen verify`
    """
    from edgegen.cli.starting import run_new

    run_new(name, show=Output(quiet=quiet))


def train(
    folder: Annotated[
        Path | None,
        typer.Argument(
            help="Folder with a train.py. Without it: the project here, else the bundled example.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of every generator.")] = 0,
    epochs: Annotated[
        int | None, typer.Option(min=1, help="Epochs.", show_default="the recipe's own")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Weights file.", show_default="the one edgegen.toml names"),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with an interrupted run.")] = False,
    quiet: Quiet = False,
) -> None:
    """Train a model by its own recipe (train.py) and write its weights.

    Examples: `edgegen train` · `edgegen train --seed 3 --epochs 20 --output other.safetensors`
    """
    from edgegen.cli.training import run_train

    run_train(folder, seed=seed, epochs=epochs, output=output, resume=resume, show=Output(quiet=quiet))
