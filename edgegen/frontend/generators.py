"""Random generators on disk: their state as plain JSON values, so that a run continues its very numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from edgegen.errors import ModelError

ARRAY = "array of "


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    """The state of a generator, of whatever kind, as numbers, texts, lists and dicts."""
    return {key: _plain(value) for key, value in rng.bit_generator.state.items()}


def set_generator_state(rng: np.random.Generator, state: Mapping[str, Any]) -> None:
    """Put a generator where another of its kind was. `ModelError` if the state is none of that kind."""
    try:
        rng.bit_generator.state = {key: _native(value) for key, value in state.items()}
    except (ValueError, TypeError, KeyError) as problem:
        kind = type(rng.bit_generator).__name__
        raise ModelError(
            f"generator: {kind} takes a state of its own kind, got one of {state.get('bit_generator')}"
        ) from problem


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray):
        return {f"{ARRAY}{value.dtype}": value.tolist()}
    return int(value) if isinstance(value, np.integer) else value


def _native(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    for key, inner in value.items():
        if key.startswith(ARRAY):
            return np.array(inner, key.removeprefix(ARRAY))
    return {key: _native(inner) for key, inner in value.items()}
