"""The README's commands are those that exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from click import Group

from edgegen.cli.commands import app

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])


def commands() -> Group:
    group = typer.main.get_command(app)
    assert isinstance(group, Group) or hasattr(group, "commands")
    return group  # type: ignore[return-value]


def used() -> list[tuple[str, str]]:
    """Every `python -m edgegen COMMAND ...` of the documents, one line each."""
    found = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for match in re.finditer(r"python -m edgegen ([a-z]+)([^`#\n]*)", text):
            found.append((match[1], match[2].split("&&")[0].strip()))
    return found


def test_documents_show_commands() -> None:
    assert {"build", "verify", "run", "eval"} <= {name for name, _ in used()}


@pytest.mark.parametrize(("name", "arguments"), used())
def test_commands_and_their_options_exist(name: str, arguments: str) -> None:
    assert name in commands().commands
    options = {option for p in commands().commands[name].params for option in p.opts}
    for option in re.findall(r"(?<!\S)(--?[a-z][a-z-]*)", arguments):
        assert option in options | {"--help"}, f"{name} has no {option}"


@pytest.mark.parametrize("name", ["build", "test"])
def test_marked_commands_are_one_line_that_sets_up_an_environment(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "ci" / "readme.py"), name], capture_output=True, text=True, check=True
    )
    line = done.stdout.strip()
    assert "\n" not in line
    assert line.startswith("python3 -m venv .venv && ")


def test_an_unknown_mark_is_an_error() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "ci" / "readme.py"), "x"], capture_output=True, check=False
    )
    assert done.returncode != 0


def test_links_of_the_documents_lead_somewhere() -> None:
    for document in DOCUMENTS:
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
