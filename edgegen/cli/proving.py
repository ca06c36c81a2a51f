"""`edgegen verify`: proves projects and prints what was compared."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from edgegen.cli.console import Output, count
from edgegen.cli.selecting import (
    built_project,
    check_compiler,
    choose_source,
    choose_targets,
    collect_failures,
    compiler_for,
    emulator_for,
)
from edgegen.codegen.verify import VerifyReport, VerifySettings, verify
from edgegen.errors import UsageError
from edgegen.targets import load_target

ORACLES = ("tflm", "litert")


def run_verify(
    model: str | None,
    target: str,
    output: Path,
    *,
    settings: VerifySettings,
    against: str | None,
    show: Output,
) -> None:
    """Verify one target or all; with several, one that fails does not keep the others from being tried."""
    check_compiler(settings.compiler)
    if against is not None and against not in ORACLES:
        raise UsageError(f"unknown runtime {against!r} to compare with; one of: {', '.join(ORACLES)}")
    names = choose_targets(target)
    source = choose_source(model, show)
    folders = {name: built_project(source, name, output) for name in names}
    documents: list[Any] = []

    def prove(name: str) -> None:
        documents.append(_verify_one(name, folders[name], settings, show))

    try:
        collect_failures(names, prove)
        if against is not None:
            documents.append(_compare(folders[names[0]], against, settings.vectors, show))
    finally:
        if documents:
            show.document(documents if target == "all" or against else documents[0])


def _verify_one(name: str, folder: Path, settings: VerifySettings, show: Output) -> dict[str, Any]:
    target = load_target(name)
    chosen = replace(
        settings,
        emulator=emulator_for(target, settings.emulator),
        compiler=compiler_for(target, settings.compiler),
    )
    with show.steps() as step:
        report = verify(folder, chosen, progress=step)
    _print(report, show)
    return {**asdict(report), "bit_exact": True}


def _print(report: VerifyReport, show: Output) -> None:
    show.say(
        f"{report.model} on {report.target} in {report.emulator}: "
        f"reference = {report.host} on this machine = emulated image"
    )
    show.say(
        f"  {count(report.vectors)} vectors, {count(report.bytes_compared)} bytes of output and "
        f"{count(report.layer_bytes_compared)} bytes of layers compared: all equal"
    )
    measures = [
        f"stack {count(report.stack_bytes)} bytes" if report.stack_bytes is not None else "",
        f"{count(report.instructions)} instructions" if report.instructions is not None else "",
        f"{count(report.cycles)} modelled cycles" if report.cycles is not None else "",
    ]
    said = ", ".join(measure for measure in measures if measure)
    if said:
        show.say(f"  the worst of them: {said}")
    for place in report.edited:
        show.note(f"  note: {place} is not as edgegen wrote it; what it computes was proven")


def _compare(folder: Path, against: str, vectors: int | None, show: Output) -> dict[str, Any]:
    from edgegen.codegen.compare import compare_with

    with show.steps() as step:
        step(f"running {against}")
        report = compare_with(folder, against, vectors=vectors)
    for line in report.lines:
        show.say(line)
    return asdict(report)
