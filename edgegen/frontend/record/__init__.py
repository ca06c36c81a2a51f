"""Runs kept in folders, compared, and held against conditions."""

from edgegen.frontend.record.compare import (
    Condition,
    Difference,
    Verdict,
    check,
    differences,
    parse_condition,
)
from edgegen.frontend.record.recorder import Recorder
from edgegen.frontend.record.run import Run, read_run

__all__ = [
    "Condition",
    "Difference",
    "Recorder",
    "Run",
    "Verdict",
    "check",
    "differences",
    "parse_condition",
    "read_run",
]
