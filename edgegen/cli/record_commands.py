"""The commands of `edgegen record`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from edgegen.cli.console import Output

record = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    help="Show recorded runs of training, compare them, hold them against conditions.",
)
RunFolder = Annotated[Path, typer.Argument(metavar="RUN", help="Folder of a run.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


@record.command()
def show(run: RunFolder, as_json: Json = False) -> None:
    """Show structure, settings, seeds, data, versions and the values of every epoch.

    Example: `edgegen record show runs/2`
    """
    from edgegen.cli.recording import show_run

    show_run(run, show=Output(json=as_json))


@record.command()
def diff(
    first: RunFolder,
    second: Annotated[Path, typer.Argument(metavar="RUN", help="Folder of another run.")],
    as_json: Json = False,
) -> None:
    """Show what two runs do not share: settings, seeds, data, versions, values of the last epoch.

    Example: `edgegen record diff runs/1 runs/2`
    """
    from edgegen.cli.recording import diff_runs

    diff_runs(first, second, show=Output(json=as_json))


@record.command()
def check(
    run: RunFolder,
    conditions: Annotated[
        list[str],
        typer.Argument(
            metavar="CONDITION...", help="NAME[@EPOCH] OPERATOR NUMBER; EPOCH: a number, last, min, max."
        ),
    ],
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Hold a run against conditions; ends with status 6 if one does not hold, 2 if the run has no such value.

    Example: `edgegen record check runs/2 "val/accuracy@100 >= 0.97" "val/loss@min < 0.1"`
    """
    from edgegen.cli.recording import check_run

    check_run(run, conditions, show=Output(json=as_json, quiet=quiet))
