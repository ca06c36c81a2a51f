"""Weights under other names: rules that rename them, and rules that would make a file fit.

A rule maps one name to another, or all names with a beginning: {"conv1.*": "stem.*", "*": "backbone.*"}.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from itertools import takewhile

from edgegen.errors import ModelError, problems
from edgegen.frontend.tape import Array


def renamed(state: Mapping[str, Array], rules: Mapping[str, str], *, origin: str) -> dict[str, Array]:
    """The tensors under the names that the rules give them; the first rule that matches a name counts.

    `ModelError`, beginning with `origin`, lists rules that match nothing or are malformed, and names that
    would be taken twice.
    """
    found = [
        f"the rule '{old}': '{new}' must end with * on both sides or on neither"
        for old, new in rules.items()
        if old.endswith("*") != new.endswith("*")
    ]
    names = {name: new_name(name, rules) for name in state}
    used = {rule for name in state for rule in rules if matches(name, rule)}
    found += [f"the rule '{rule}' matches no tensor" for rule in rules if rule not in used]
    taken: dict[str, str] = {}
    for name, new in names.items():
        if new in taken:
            found.append(f"'{taken[new]}' and '{name}' would both become '{new}'")
        taken[new] = name
    if found:
        raise ModelError(problems(f"{origin}: the tensors cannot be renamed", found))
    return {names[name]: array for name, array in state.items()}


def matches(name: str, rule: str) -> bool:
    """Whether a name is the rule's, or has its beginning."""
    return name.startswith(rule[:-1]) if rule.endswith("*") else name == rule


def new_name(name: str, rules: Mapping[str, str]) -> str:
    """What the first rule that matches makes of a name."""
    for old, new in rules.items():
        if matches(name, old):
            return new[:-1] + name[len(old) - 1 :] if old.endswith("*") else new
    return name


def suggested(expected: Mapping[str, Array], found: Mapping[str, Array]) -> dict[str, str]:
    """Rules under which every surplus tensor with a likely place among the missing ones would be there.

    A place is likely if shape and type are the same and the names are similar. Empty if there is none.
    """
    pairs = _pairs(expected, found)
    rules: dict[str, str] = {}
    for old, new in pairs.items():
        if new_name(old, rules) == new:
            continue
        shorter = _beginnings(old, new)
        if shorter is not None and _agrees(shorter, pairs, found):
            rules[shorter[0]] = shorter[1]
        else:
            rules = {old: new, **rules}
    return rules


def _pairs(expected: Mapping[str, Array], found: Mapping[str, Array]) -> dict[str, str]:
    """Surplus names with their likely places, the most similar first, no place twice."""
    missing = [name for name in expected if name not in found]
    surplus = [name for name in found if name not in expected]
    ranked = sorted(
        (-_likeness(old, new), position, old, new)
        for position, new in enumerate(missing)
        for old in surplus
        if _kind(expected[new]) == _kind(found[old])
    )
    pairs: dict[str, str] = {}
    for likeness, _, old, new in ranked:
        if likeness <= -0.4 and old not in pairs and new not in pairs.values():
            pairs[old] = new
    return {old: pairs[old] for old in surplus if old in pairs}


def _likeness(one: str, other: str) -> float:
    """From 0 to 2: similar letters, and the same last part, such as weight."""
    same_end = one.rpartition(".")[2] == other.rpartition(".")[2]
    return difflib.SequenceMatcher(None, one, other).ratio() + (1 if same_end else 0)


def _kind(array: Array) -> tuple[tuple[int, ...], str]:
    return array.shape, str(array.dtype)


def _beginnings(old: str, new: str) -> tuple[str, str] | None:
    """The rule that changes where two names begin, if they end alike."""
    ends = _common_end(old.split("."), new.split("."))
    if not ends:
        return None
    return old[: len(old) - len(ends)] + "*", new[: len(new) - len(ends)] + "*"


def _common_end(one: Sequence[str], other: Sequence[str]) -> str:
    pairs = zip(reversed(one), reversed(other), strict=False)
    return ".".join(reversed([a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]))


def _agrees(rule: tuple[str, str], pairs: Mapping[str, str], found: Mapping[str, Array]) -> bool:
    """Whether a rule moves every tensor that it matches to where it belongs."""
    return all(
        pairs.get(name) == new_name(name, {rule[0]: rule[1]}) for name in found if matches(name, rule[0])
    )
