"""What of a project is no longer as edgegen wrote it, and whether that concerns the model's constants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from edgegen.codegen.project import Manifest, changed_files


def changed_constants(folder: Path, fresh: Mapping[str, str]) -> list[str]:
    """Numbers of the model that were changed by hand, each with file, line and layer.

    `fresh` is the text of generated files by path in the project; those that the project was not made from
    (another version of edgegen wrote it) are left out by the caller.
    """
    found = []
    for place, text in sorted(fresh.items()):
        file = folder / place
        current = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        difference = _first_difference(current, text)
        if difference is not None:
            found.append(f"{place} {difference}")
    return found


def generated_sources(manifest: Manifest) -> tuple[str, str]:
    """The files that hold numbers of the model: its parameters and its constants."""
    stem = f"lib/{manifest.model}/src/{manifest.model}"
    return f"{stem}.c", f"{stem}_weights.c"


def edited(folder: Path, manifest: Manifest) -> tuple[str, ...]:
    """All files that were changed or removed since edgegen wrote them."""
    return tuple(changed_files(folder, manifest))


def _first_difference(current: str, fresh: str) -> str | None:
    """Line, layer and tokens of the first difference beyond layout; None if there is none."""
    for token, wanted in zip_longest(_tokens(current), _tokens(fresh)):
        if token is None:
            return f"is cut off before {wanted[0]} ({wanted[2]})"
        if wanted is None:
            return f"line {token[1]} has more than edgegen wrote: {token[0]}"
        if token[0] != wanted[0]:
            return f"line {token[1]} ({wanted[2]}): expected {wanted[0]}, got {token[0]}"
    return None


def _tokens(text: str) -> Iterator[tuple[str, int, str]]:
    """(token, line, last comment) of C text; comments and white space are no tokens."""
    comment = "its beginning"
    line = 1
    for match in re.finditer(r"/\*(.*?)\*/|[A-Za-z_]\w*|-?\.?\d[\w.]*|\n|[^\s\w]", text, re.DOTALL):
        token = match[0]
        if match[1] is not None:
            comment = " ".join(match[1].split())
        elif token != "\n":
            yield token, line, comment
        line += token.count("\n")
