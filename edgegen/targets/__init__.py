"""Targets, one folder each: facts (target.toml), boards, start-up, input and output, kernels of their own."""

from edgegen.targets.files import project_files
from edgegen.targets.target import (
    Board,
    Budget,
    EmulatorChoice,
    Target,
    list_targets,
    load_target,
    parse_size,
)

__all__ = [
    "Board",
    "Budget",
    "EmulatorChoice",
    "Target",
    "list_targets",
    "load_target",
    "parse_size",
    "project_files",
]
