"""`edgegen build`: runs the pipeline and prints sizes and verdict."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from edgegen.cli.console import Output, count
from edgegen.cli.selecting import (
    Budgets,
    check_compiler,
    choose_source,
    choose_targets,
    collect_failures,
    compiler_for,
    load_with_budgets,
)
from edgegen.codegen.build import BuildOptions, BuildReport, build
from edgegen.codegen.source import load_source


def run_build(
    model: str | None,
    target: str,
    output: Path,
    *,
    budgets: Budgets,
    board: str | None,
    options: BuildOptions,
    show: Output,
    calibration: Path | None = None,
) -> None:
    """Build for one target or all, and print a report of each."""
    check_compiler(options.compiler)
    names = choose_targets(target)
    targets = {name: load_with_budgets(name, board=board, budgets=budgets) for name in names}
    source = choose_source(model, show, calibration)
    with show.steps() as step:
        step("loading the model")
        loaded = load_source(source)
    documents: list[dict[str, Any]] = []

    def build_one(name: str) -> None:
        chosen = targets[name]
        usable = replace(options, compiler=compiler_for(chosen, options.compiler))
        with show.steps() as step:
            report = build(loaded, chosen, output, options=usable, progress=step)
        _print(report, show)
        documents.append(_document(report))

    try:
        collect_failures(list(targets), build_one)
    finally:
        if documents:
            show.document(documents if target == "all" else documents[0])


def _print(report: BuildReport, show: Output) -> None:
    manifest, sizes = report.manifest, report.sizes
    show.table(
        ["", "bytes", "budget", "of it"],
        [
            [
                "flash",
                count(sizes.flash_bytes),
                count(sizes.flash_budget),
                _share(sizes.flash_bytes, sizes.flash_budget),
            ],
            ["  constants", count(sizes.constant_bytes), "", ""],
            ["  code", count(sizes.code_bytes), "", ""],
            [
                "RAM: arena + state + data + stack",
                count(sizes.ram_bytes),
                count(sizes.ram_budget),
                _share(sizes.ram_bytes, sizes.ram_budget),
            ],
            ["  arena", count(sizes.arena_bytes), "", ""],
            ["  state", count(sizes.state_bytes), "", ""],
            ["  data", count(sizes.data_bytes), "", ""],
            ["  stack, at most", count(sizes.stack_bound), count(manifest.stack_budget), ""],
            ["  stack, deepest seen", count(sizes.stack_seen), "", ""],
        ],
        title=f"{manifest.title} for {manifest.target} ({manifest.board})",
    )
    show.say(report.memory)
    if report.instructions is not None:
        cycles = f", {count(report.cycles)} modelled cycles" if report.cycles else ""
        show.say(f"{count(report.instructions)} instructions an inference, the worst seen{cycles}")
    if report.vectors:
        show.say(
            f"bit-exact: {report.vectors} vectors, {count(report.bytes_compared)} bytes from the emulated "
            "image equal the integer reference"
        )
    show.say(f"project: {report.folder}")
    show.say(f"image:   {report.image}\n")


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %"


def _document(report: BuildReport) -> dict[str, Any]:
    return {
        "project": str(report.folder),
        "image": str(report.image),
        "sizes": {
            **asdict(report.sizes),
            "stack_bytes": report.sizes.stack_bytes,
            "ram_bytes": report.sizes.ram_bytes,
        },
        "bit_exact": report.vectors > 0,
        "vectors": report.vectors,
        "bytes_compared": report.bytes_compared,
        "instructions": report.instructions,
        "cycles": report.cycles,
        "manifest": asdict(report.manifest),
    }
