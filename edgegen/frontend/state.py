"""Comparing weights with what a network takes, strictly: all differences at once, each with a way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from itertools import permutations

import numpy as np

from edgegen.errors import ModelError, problems
from edgegen.frontend.renaming import new_name, suggested
from edgegen.frontend.tape import Array


def check_state(
    expected: Mapping[str, Array], found: Mapping[str, Array], *, origin: str, finite: bool
) -> None:
    """Raise one `ModelError` that lists every tensor of `found` that does not fit `expected`.

    `origin` says where `found` comes from. With `finite`, NaN and infinity count as a misfit.
    """
    listed = [*_names(expected, found), *_shapes_and_types(expected, found)]
    if finite:
        listed += _non_finite(expected, found)
    rules = suggested(expected, found)
    if rules:
        listed.append(f"weights.load with rename={rules} would find {_places(expected, found, rules)}")
    if listed:
        raise ModelError(problems(f"{origin}: the weights do not fit the model", listed))


def _names(expected: Mapping[str, Array], found: Mapping[str, Array]) -> Iterator[str]:
    missing = [name for name in expected if name not in found]
    surplus = [name for name in found if name not in expected]
    for name in missing:
        near = nearest(name, expected[name], {other: found[other] for other in surplus})
        hint = f"; the nearest surplus name is '{near}': rename it if it is meant" if near else ""
        yield f"missing '{name}' {_kind(expected[name])}{hint}"
    for name in surplus:
        near = nearest(name, found[name], {other: expected[other] for other in (missing or expected)})
        hint = f"; the nearest name in the model is '{near}'" if near else ""
        yield f"surplus '{name}' {_kind(found[name])}: the model has no such tensor{hint}"


def _places(expected: Mapping[str, Array], found: Mapping[str, Array], rules: Mapping[str, str]) -> str:
    moved = [name for name in found if name not in expected and new_name(name, rules) in expected]
    missing = sum(name not in found for name in expected)
    return f"{len(moved)} of the {missing} missing tensors"


def nearest(name: str, tensor: Array, candidates: Mapping[str, Array]) -> str | None:
    """The most similar name, among those of the same shape where there are any."""
    fitting = [other for other, candidate in candidates.items() if candidate.shape == tensor.shape]
    close = difflib.get_close_matches(name, fitting, 1, 0.4) or difflib.get_close_matches(
        name, candidates, 1, 0.6
    )
    return close[0] if close else None


def _shapes_and_types(expected: Mapping[str, Array], found: Mapping[str, Array]) -> Iterator[str]:
    for name, want in expected.items():
        have = found.get(name)
        if have is None:
            continue
        if have.shape != want.shape:
            hint = _transposed(want.shape, have.shape)
            yield f"mis-shaped '{name}': takes {want.shape}, got {have.shape}{hint}"
        if have.dtype != want.dtype:
            yield f"mis-typed '{name}': takes {want.dtype}, got {have.dtype}; convert it before saving"


def _transposed(want: tuple[int, ...], have: tuple[int, ...]) -> str:
    if len(want) != len(have) or len(want) > 5 or sorted(want) != sorted(have):
        return ""
    fits = [p for p in permutations(range(len(have))) if tuple(have[i] for i in p) == want]
    likely = (0, 2, 3, 1) if (0, 2, 3, 1) in fits else fits[0]
    layout = " (convolutions take (out, kh, kw, in / groups))" if len(want) == 4 else ""
    return f"; transposed by {likely} it would fit{layout}"


def _non_finite(expected: Mapping[str, Array], found: Mapping[str, Array]) -> Iterator[str]:
    for name, have in found.items():
        if name not in expected or have.dtype.kind != "f" or np.isfinite(have).all():
            continue
        nans, infinities = int(np.isnan(have).sum()), int(np.isinf(have).sum())
        first = tuple(int(i) for i in np.argwhere(~np.isfinite(have))[0])
        counts = f"{nans} NaN and {infinities} infinite of {have.size} values"
        yield f"'{name}' holds {counts}, the first at {first}"


def _kind(tensor: Array) -> str:
    return f"{tensor.dtype} {tensor.shape}"
