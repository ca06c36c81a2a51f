"""Fixtures of the command line's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command_line import CommandLine
from tests.firmware.conftest import empty_device  # a fixture

__all__ = ["empty_device"]


@pytest.fixture
def edgegen(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> CommandLine:
    """The command line, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return CommandLine(capsys)
