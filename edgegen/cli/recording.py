"""`edgegen record`: shows runs, compares them, and holds them against conditions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from edgegen.cli.console import Output
from edgegen.errors import MismatchError, problems
from edgegen.frontend.record import Run, check, differences, parse_condition, read_run
from edgegen.frontend.trainer.settings import flattened


def show_run(folder: Path, *, show: Output) -> None:
    """Structure, settings, data and the values of every epoch."""
    run = read_run(folder)
    show.say(f"{run.name}: {run.status}, {run.structure.get('parameters', 0):,} parameters\n")
    show.say("\n".join(run.structure.get("model", [])) + "\n")
    _list("settings", run.hyperparameters, show)
    _list("seeds", run.seeds, show)
    data = {name: f"{d['samples']:,} samples, {d['digest']}" for name, d in run.data.items()}
    _list("data", data, show)
    _list("versions", run.versions, show)
    names = [name for name in (run.epochs[0] if run.epochs else {}) if _shown(run, name)]
    show.table(names, [[_cell(epoch.get(name)) for name in names] for epoch in run.epochs], title="epochs")
    show.document(asdict(run))


def diff_runs(first: Path, second: Path, *, show: Output) -> None:
    """What two runs do not share."""
    found = differences(read_run(first), read_run(second))
    if found:
        rows = [[d.path, _cell(d.first), _cell(d.second)] for d in found]
        show.table(["", str(first), str(second)], rows)
    else:
        show.say("no differences")
    show.document([asdict(difference) for difference in found])


def check_run(folder: Path, conditions: Sequence[str], *, show: Output) -> None:
    """Hold a run against conditions; MismatchError lists those that do not hold."""
    parsed = [parse_condition(text) for text in conditions]
    run = read_run(folder)
    verdicts = [check(run, condition) for condition in parsed]
    show.document([{**asdict(v.condition), "value": v.value, "holds": v.holds} for v in verdicts])
    failed = [f"{v.condition.text}: it is {v.value:.6g}" for v in verdicts if not v.holds]
    if failed:
        raise MismatchError(problems(f"run '{run.name}' does not hold:", failed))
    for verdict in verdicts:
        show.say(f"{verdict.condition.text}: holds, it is {verdict.value:.6g}")


def _list(title: str, values: Mapping[str, Any], show: Output) -> None:
    """Names and values, in two columns."""
    pairs = [(name, "-" if value is None else str(value)) for name, value in flattened(values)]
    width = max((len(name) for name, _ in pairs), default=0)
    show.say("\n".join([title, *(f"  {name.ljust(width)}  {value}" for name, value in pairs)]) + "\n")


def _shown(run: Run, name: str) -> bool:
    return all(not isinstance(epoch.get(name), list | dict) for epoch in run.epochs)


def _cell(value: Any) -> str | None:
    return f"{value:.6g}" if isinstance(value, float) else None if value is None else str(value)
