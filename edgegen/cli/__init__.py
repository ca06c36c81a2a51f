"""The command line: parses and prints, nothing else."""

from edgegen.cli.main import main

__all__ = ["main"]
