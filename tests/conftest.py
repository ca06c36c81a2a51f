"""Settings for all tests."""

from __future__ import annotations

import os

from hypothesis import settings

# the same cases in every run, so that a red one can be repeated; a long run looks for new ones
settings.register_profile("edgegen", derandomize="EDGEGEN_CASES" not in os.environ, print_blob=True)
settings.load_profile("edgegen")
