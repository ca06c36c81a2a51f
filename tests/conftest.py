"""Settings for all tests."""

from __future__ import annotations

import os
import signal

import pytest
from hypothesis import settings

# the same cases in every run, so that a red one can be repeated; a long run looks for new ones
settings.register_profile("edgegen", derandomize="EDGEGEN_CASES" not in os.environ, print_blob=True)
settings.load_profile("edgegen")


# a job in the background ignores interruptions, and so would every process that it starts
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden files anew from what is emitted now"
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared."""
    return bool(request.config.getoption("--update-golden"))
