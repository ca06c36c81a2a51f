"""`edgegen export`."""

from __future__ import annotations

from pathlib import Path

from edgegen.cli.console import Output
from edgegen.cli.selecting import choose_source
from edgegen.codegen.source import load_source
from edgegen.errors import UsageError


def run_export(
    model: str | None, output: Path, file_format: str, *, show: Output, calibration: Path | None = None
) -> None:
    """Write the quantised model as .tflite."""
    if file_format != "tflite":
        raise UsageError(f"unknown format {file_format!r}; one of: tflite")
    loaded = load_source(choose_source(model, show, calibration))
    draft = output.with_name(f".{output.name}.part")
    try:
        draft.write_bytes(loaded.tflite)
        draft.replace(output)
    except OSError as problem:
        raise UsageError(f"{output} cannot be written: {problem.strerror}") from problem
    show.say(f"{output}: {len(loaded.tflite)} bytes")
