"""Settings for all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# the same cases in every run, so that a red one can be repeated; a long run looks for new ones
settings.register_profile("edgegen", derandomize="EDGEGEN_CASES" not in os.environ, print_blob=True)
settings.load_profile("edgegen")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden files anew from what is emitted now"
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written instead of compared."""
    return bool(request.config.getoption("--update-golden"))
