"""`edgegen bench`: every model of a folder, built, proven and counted."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from edgegen.cli.console import Output, count
from edgegen.cli.selecting import choose_targets, load_with_budgets
from edgegen.codegen.bench import BenchRow, bench_model, regressions
from edgegen.codegen.build import BuildOptions
from edgegen.codegen.source import bundled_example, find_source, load_source
from edgegen.errors import MismatchError, UsageError, problems

HEADINGS = (
    "model",
    "target",
    "mode",
    "exact",
    "instructions",
    "cycles",
    "per MAC",
    "flash",
    "constants",
    "code",
    "arena",
    "state",
    "data",
    "stack",
    "RAM",
)


def run_bench(
    folder: Path | None,
    target: str,
    modes: list[str],
    *,
    output: Path,
    history: Path | None,
    compare: Path | None,
    show: Output,
) -> None:
    """Bench all models of a folder or the bundled example; append to a history, hold against one."""
    rows: list[BenchRow] = []
    for model in _models(folder):
        loaded = load_source(find_source(model))
        for name in choose_targets(target):
            chosen = load_with_budgets(name, board=None, budgets=("64M", "32M", None))
            for mode in modes:
                with show.steps() as step:
                    step(f"{loaded.name} on {name}, {mode}")
                    rows.append(bench_model(loaded, chosen, output, options=BuildOptions(mode=mode)))
    show.table(HEADINGS, [_cells(row) for row in rows])
    show.document([row.document() for row in rows])
    if history is not None:
        _append(history, rows)
    if compare is not None:
        _hold_against(compare, rows)


def _models(folder: Path | None) -> list[str]:
    if folder is None:
        return [str(bundled_example())]
    if folder.is_file():
        return [str(folder)]
    found = sorted(str(path) for path in folder.glob("*.tflite"))
    if not found:
        raise UsageError(f"there are no .tflite files in {folder}")
    return found


def _cells(row: BenchRow) -> list[object]:
    per_mac = None if row.instructions is None or not row.macs else f"{row.instructions / row.macs:.3f}"
    numbers = (
        row.flash_bytes,
        row.constant_bytes,
        row.code_bytes,
        row.arena_bytes,
        row.state_bytes,
        row.data_bytes,
    )
    return [
        row.model,
        row.target,
        row.mode,
        "yes" if row.bit_exact else "no",
        count(row.instructions),
        count(row.cycles),
        per_mac,
        *(count(number) for number in numbers),
        count(row.stack_bytes),
        count(row.ram_bytes),
    ]


def _append(history: Path, rows: list[BenchRow]) -> None:
    """One JSON object a line, with the commit that was measured."""
    commit = _commit()
    lines = [json.dumps({"commit": commit, **row.document()}) + "\n" for row in rows]
    try:
        with history.open("a", encoding="utf-8") as file:
            file.writelines(lines)
    except OSError as problem:
        raise UsageError(f"{history} cannot be written: {problem.strerror}") from problem


def _commit() -> str:
    """The commit of the working folder, `unknown` outside a repository."""
    try:
        done = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False
        )
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"


def _hold_against(path: Path, rows: list[BenchRow]) -> None:
    try:
        text = path.read_text(encoding="utf-8")
        earlier: list[dict[str, Any]] = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (OSError, ValueError) as problem:
        raise UsageError(f"{path} cannot be used: {problem}") from problem
    found = regressions(earlier, rows)
    if found:
        raise MismatchError(problems(f"worse than {path}:", found))
