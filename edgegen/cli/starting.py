"""`edgegen new`: a folder becomes a project."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from edgegen.cli.console import Output
from edgegen.codegen.names import c_identifier
from edgegen.errors import UsageError
from edgegen.frontend.files import write_whole

TEMPLATE = Path(str(files("edgegen"))) / "templates" / "new"
NAME = "@NAME@"
RENAMED = {"gitignore": ".gitignore"}
NEXT = "next: cd {folder} && edgegen train && edgegen build --target cortex-m4 && edgegen verify"


def run_new(folder: Path, *, show: Output) -> None:
    """Write a project into a folder that is not there yet, or empty."""
    name = folder.resolve().name
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name):
        raise UsageError(
            f"{name!r} is no name for a project: takes letters, digits, - and _, a letter first; "
            f"{c_identifier(name)!r} would do"
        )
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is there already and not an empty folder; choose another name")
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise UsageError(f"cannot make the folder {folder}: {problem.strerror or problem}") from problem
    for source in sorted(path for path in TEMPLATE.iterdir() if path.is_file()):
        text = source.read_text(encoding="utf-8").replace(NAME, name)
        write_whole(folder / RENAMED.get(source.name, source.name), text.encode())
        show.say(f"{folder / RENAMED.get(source.name, source.name)}")
    show.say(NEXT.format(folder=folder))
