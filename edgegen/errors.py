"""Errors that a user can act on.

Every problem that the user can cause ends in one of these. The command line prints the message and
exits with `exit_code`; a traceback therefore always means a defect of edgegen itself.
"""

from __future__ import annotations

from collections.abc import Sequence


class EdgegenError(Exception):
    """A problem named for the user: what, where, expected, got, what to do.

    `exit_code` is the status with which the command line ends.
    """

    exit_code = 1


class UsageError(EdgegenError):
    """The command cannot be carried out as given: unknown target, missing file, bad option value."""

    exit_code = 2


class ModelError(EdgegenError):
    """The model, its weights or its calibration data cannot be used."""

    exit_code = 3


class BudgetError(EdgegenError):
    """The firmware does not fit the target's flash, RAM or stack budget."""

    exit_code = 4


class ToolError(EdgegenError):
    """A compiler, PlatformIO, an emulator or an upload tool is missing or failed."""

    exit_code = 5


class MismatchError(EdgegenError):
    """Two implementations that must agree bit for bit did not, or one of them did not finish."""

    exit_code = 6


def problems(title: str, found: Sequence[str]) -> str:
    """One message that lists every problem found, so that nobody meets them one by one."""
    return title + "".join(f"\n  - {problem}" for problem in found)
