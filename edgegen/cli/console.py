"""Printing: results on standard output, everything else on standard error, colour only on a terminal."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from rich.console import Console
from rich.markup import escape
from rich.table import Table

UNBOUNDED = 240
"""Columns where nothing shows."""


@dataclass(frozen=True)
class Output:
    """How much to say, and to whom. `json` leaves standard output to one JSON document."""

    json: bool = False
    quiet: bool = False
    verbose: bool = False

    @property
    def out(self) -> Console:
        return Console(file=sys.stdout, highlight=False, soft_wrap=True, width=_width(sys.stdout))

    @property
    def err(self) -> Console:
        return Console(file=sys.stderr, highlight=False, soft_wrap=True)

    def say(self, text: str) -> None:
        """A line for people, on standard output; nothing with `quiet` or `json`."""
        if not self.quiet and not self.json:
            self.out.print(escape(text))

    def note(self, text: str) -> None:
        """A line that does not belong to the result, on standard error."""
        if not self.quiet:
            self.err.print(escape(text))

    def fail(self, text: str) -> None:
        """The one message of a failed command."""
        self.err.print(f"[bold red]error:[/] {escape(text)}")

    def table(self, headings: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "") -> None:
        if self.quiet or self.json:
            return
        table = Table(*headings, title=title or None, title_justify="left", box=None, pad_edge=False)
        for column in table.columns[1:]:
            column.justify = "right"
        for row in rows:
            table.add_row(*(escape("-" if cell is None else str(cell)) for cell in row))
        self.out.print(table)

    def document(self, content: Any) -> None:
        """The JSON document of a command that was asked for one."""
        if self.json:
            sys.stdout.write(json.dumps(content, indent=2) + "\n")

    @contextmanager
    def steps(self) -> Iterator[Callable[[str], None]]:
        """Shows what is going on: a spinner on a terminal, lines with `verbose`, nothing else."""
        if self.verbose:
            yield lambda step: self.note(f"{step} ...")
        elif self.quiet or not self.err.is_terminal:
            yield lambda step: None
        else:
            with self.err.status("starting") as status:
                yield lambda step: status.update(escape(step))


def _width(stream: TextIO) -> int | None:
    """A file or pipe has no width, so that no cell of a table is cut off; a terminal has its own."""
    return None if stream.isatty() else UNBOUNDED


def debugging() -> bool:
    """Whether a defect should show its traceback."""
    return bool(os.environ.get("EDGEGEN_DEBUG"))


def count(number: int | None) -> str:
    """A number with thousands separated."""
    return "-" if number is None else f"{number:,}"
