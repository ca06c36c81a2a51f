"""Names that are safe in C and as file names, whatever the model calls itself."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable

_KEYWORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class compl concept const const_cast consteval constexpr constinit continue co_await
    co_return co_yield decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if import inline int long module mutable namespace new
    noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast
    requires restrict return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename typeof typeof_unqual union
    unsigned using virtual void volatile wchar_t while xor xor_eq
"""
_HEADERS = """
    assert complex ctype errno fenv float inttypes iso646 limits locale math memory new setjmp
    signal stdalign stdarg stdatomic stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string
    strings tgmath threads time uchar unistd wchar wctype
"""
_FILES = """
    con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7
    lpt8 lpt9
"""
_MACROS = "arm linux unix i386 main null edgegen arduino"
RESERVED = frozenset(f"{_KEYWORDS} {_HEADERS} {_FILES} {_MACROS}".split())
"""Keywords of C and C++, headers of the C library, file names that Windows keeps for itself, macros."""
LONGEST = 48
"""Characters of an identifier; a longer name ends in a hash of the whole."""


def c_identifier(name: str, *, fallback: str = "model") -> str:
    """A lower-case identifier of letters, digits and single underscores, never reserved, never empty.

    Names that differ only in what is dropped may meet in one identifier; see `unique_identifiers`.
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    if not words:
        return fallback
    if len(words) > LONGEST:
        words = f"{words[: LONGEST - 9].rstrip('_')}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"
    if words[0].isdigit() or words in RESERVED or words.split("_")[0] == "harness":
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
