"""Tables of a flatbuffer, written by field name through the builder functions of the schema package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import flatbuffers
import numpy as np
import tflite

DATA_ALIGNMENT = 16
"""Alignment of a constant's bytes in the file: the schema's force_align of Buffer.data."""


@dataclass(frozen=True)
class Offset:
    """Where something already written is; keeps it apart from an integer value."""

    value: int


class _ElementSize:
    """Stands in for a builder to learn the element size of a vector field."""

    size = 0

    def StartVector(self, element_size: int, _count: int, _alignment: int) -> None:  # noqa: N802
        self.size = element_size


def table(builder: flatbuffers.Builder, name: str, fields: Mapping[str, object]) -> Offset:
    """Write the table `name` with `fields` by their CamelCase schema names.

    Values: numbers and booleans, text, bytes (aligned like constants), sequences of numbers or of `Offset`,
    and `Offset`. Fields that are None are left out.
    """
    given = {key: value for key, value in fields.items() if value is not None}
    ready = {key: _write_ahead(builder, name, key, value) for key, value in given.items()}
    getattr(tflite, f"{name}Start")(builder)
    for key, value in ready.items():
        getattr(tflite, f"{name}Add{key}")(builder, value)
    return Offset(getattr(tflite, f"{name}End")(builder))


def _write_ahead(builder: flatbuffers.Builder, name: str, key: str, value: object) -> Any:
    """A field's value as its Add function takes it; what lives outside the table is written now."""
    if isinstance(value, Offset):
        return value.value
    if isinstance(value, str):
        return builder.CreateString(value)
    if isinstance(value, bytes):
        builder.Prep(DATA_ALIGNMENT, len(value))
        return builder.CreateByteVector(value)
    if isinstance(value, Sequence | np.ndarray):
        return _vector(builder, name, key, value)
    return value.item() if isinstance(value, np.generic) else value


def _vector(builder: flatbuffers.Builder, name: str, key: str, values: Sequence[Any] | np.ndarray) -> int:
    start = getattr(tflite, f"{name}Start{key}Vector")
    if len(values) and isinstance(values[0], Offset):
        start(builder, len(values))
        for value in reversed(values):
            builder.PrependUOffsetTRelative(value.value)
        return int(builder.EndVector())
    probe = _ElementSize()
    start(probe, 0)
    kind = "f" if np.asarray(values).dtype.kind == "f" else "i"
    return int(builder.CreateNumpyVector(np.asarray(values, dtype=f"<{kind}{probe.size}")))
