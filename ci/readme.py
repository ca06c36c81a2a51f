"""Print a command of the README, so that CI runs what a newcomer reads.

Usage: python ci/readme.py build|test
The command is the code block that follows the line `<!-- command: NAME -->`.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parent.parent / "README.md"


def command(name: str, text: str) -> str:
    """The one shell line of the block marked with that name; raises LookupError without it."""
    found = re.search(rf"<!-- command: {re.escape(name)} -->\s*```sh\n(.*?)\n```", text, re.DOTALL)
    if found is None:
        raise LookupError(f"README.md has no block marked 'command: {name}'")
    return found.group(1)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        sys.stderr.write("usage: python ci/readme.py build|test\n")
        return 2
    sys.stdout.write(command(arguments[0], README.read_text(encoding="utf-8")) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
