"""`edgegen verify`: proves projects and prints what was compared."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from edgegen.cli.console import Output, count
from edgegen.cli.selecting import built_project, check_compiler, choose_source, choose_targets
from edgegen.codegen.verify import VerifyReport, verify
from edgegen.errors import UsageError
from edgegen.targets import load_target


def run_verify(
    model: str | None,
    target: str,
    output: Path,
    *,
    emulator: str | None,
    compiler: str,
    vectors: int | None,
    against: str | None,
    show: Output,
) -> None:
    """Verify one target or all. Raises MismatchError at the first thing that differs."""
    check_compiler(compiler)
    if against not in (None, "tflm", "litert"):
        raise UsageError(f"--against takes tflm or litert, got {against!r}")
    names = choose_targets(target)
    source = choose_source(model, show)
    folders = [built_project(source, name, output) for name in names]
    documents: list[Any] = []
    for name, folder in zip(names, folders, strict=True):
        documents.append(_verify_one(name, folder, emulator, compiler, vectors, show))
    if against is not None:
        documents.append(_compare(folders[0], against, vectors, show))
    show.document(documents if len(documents) > 1 else documents[0])


def _verify_one(
    name: str, folder: Path, emulator: str | None, compiler: str, vectors: int | None, show: Output
) -> dict[str, Any]:
    target = load_target(name)
    known = emulator in {choice.name for choice in target.emulators}
    chosen = emulator if known or emulator is None else _fallback(name, emulator)
    usable = compiler if compiler in target.compile_flags else "zig"
    with show.steps() as step:
        report = verify(folder, emulator=chosen, compiler=usable, vectors=vectors, progress=step)
    _print(report, show)
    return {**asdict(report), "bit_exact": True}


def _fallback(name: str, emulator: str) -> str | None:
    """An emulator that some target has stands for the default where a target has none of that kind."""
    from edgegen.targets import list_targets

    if any(choice.name == emulator for target in list_targets() for choice in target.emulators):
        return None
    load_target(name).emulator(emulator)
    return None


def _print(report: VerifyReport, show: Output) -> None:
    measures = [
        f"stack {count(report.stack_bytes)} bytes" if report.stack_bytes is not None else "",
        f"{count(report.instructions)} instructions" if report.instructions is not None else "",
        f"{count(report.cycles)} modelled cycles" if report.cycles is not None else "",
    ]
    compared = "reference = host C = emulated image" if report.host_c else "reference = emulated image"
    show.say(
        f"{report.model} on {report.target} in {report.emulator}: {compared}: {report.vectors} vectors, "
        f"{count(report.bytes_compared)} bytes, all equal"
    )
    said = ", ".join(measure for measure in measures if measure)
    if said:
        show.say(f"  the worst of them: {said}")


def _compare(folder: Path, against: str, vectors: int | None, show: Output) -> dict[str, Any]:
    from edgegen.codegen.compare import compare_with

    with show.steps() as step:
        step(f"running {against}")
        report = compare_with(folder, against, vectors=vectors)
    for line in report.lines:
        show.say(line)
    return asdict(report)
