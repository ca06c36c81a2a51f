"""Names that are safe in C, whatever the model calls itself."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_KEYWORDS = """
    alignas alignof and asm auto bool break case catch char class const constexpr continue default delete do
    double else enum export extern false float for friend goto if inline int long main mutable namespace new
    not nullptr operator or private protected public register restrict return short signed sizeof static
    struct switch template this throw true try typedef typename union unsigned using virtual void volatile
    wchar_t while xor
"""
RESERVED = frozenset([*_KEYWORDS.split(), "edgegen", "harness"])
"""Keywords of C and C++, and prefixes that the harness and the kernels use themselves."""


def c_identifier(name: str, *, fallback: str = "model") -> str:
    """A lower-case identifier of letters, digits and single underscores, never reserved, never empty."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    if not words:
        return fallback
    if words[0].isdigit() or words in RESERVED:
        words = f"m_{words}"
    return words


def unique_identifiers(names: Iterable[str], *, fallback: str) -> list[str]:
    """One identifier a name; later ones of the same spelling get a number."""
    taken: set[str] = set()
    found = []
    for name in names:
        base = c_identifier(name, fallback=fallback)
        candidate, number = base, 2
        while candidate in taken:
            candidate, number = f"{base}_{number}", number + 1
        taken.add(candidate)
        found.append(candidate)
    return found
