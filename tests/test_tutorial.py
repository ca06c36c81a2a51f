"""The tutorial as a newcomer follows it, files written and commands run; the code about training."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TUTORIAL = ROOT / "docs" / "tutorial.md"
STEP = re.compile(r"<!-- (run|file|edit)(?:: (\S+))? -->\n```\w+\n(.*?)\n```", re.DOTALL)


@dataclass(frozen=True)
class Step:
    """Commands to run, or a file to write, or lines of one to replace."""

    kind: str
    file: str
    text: str


def steps() -> list[Step]:
    return [Step(*found) for found in STEP.findall(TUTORIAL.read_text(encoding="utf-8"))]


def run(line: str, folder: Path) -> Path:
    """One line of a shell; gives the folder in which the next one runs."""
    program, *arguments = shlex.split(line)
    if program == "cd":
        return folder / arguments[0]
    command = {"edgegen": [sys.executable, "-m", "edgegen"], "python": [sys.executable]}[program]
    done = subprocess.run(
        [*command, *arguments], cwd=folder, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return folder


def edit(file: Path, difference: str) -> None:
    """Replace each removed line by the added one after it."""
    text = file.read_text(encoding="utf-8")
    removed = [line[1:] for line in difference.splitlines() if line.startswith("-")]
    added = [line[1:] for line in difference.splitlines() if line.startswith("+")]
    for old, new in zip(removed, added, strict=True):
        assert text.count(f"{old}\n") == 1, f"{file.name} has no line {old!r}"
        text = text.replace(f"{old}\n", f"{new}\n")
    file.write_text(text, encoding="utf-8")


def test_the_code_about_training_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 10
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(blocks), "training.md", "exec"), {})


def test_the_tutorial_works_as_written(tmp_path: Path) -> None:
    folder = tmp_path
    assert [step.kind for step in steps()].count("run") >= 7
    for step in steps():
        if step.kind == "run":
            for line in step.text.splitlines():
                folder = run(line, folder)
        elif step.kind == "file":
            (folder / step.file).write_text(step.text + "\n", encoding="utf-8")
        else:
            edit(folder / step.file, step.text)
    header = folder / "build" / "movements" / "cortex-m4" / "lib" / "movements" / "include" / "movements.h"
    declared = set(re.findall(r"\w+", header.read_text(encoding="utf-8")))
    assert set(re.findall(r"(?i)\bmovements_\w+", TUTORIAL.read_text(encoding="utf-8"))) <= declared
