"""Single operators with random tensors, constants, options: loaded or refused, quickly, in little memory."""

from __future__ import annotations

import contextlib
import math
import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

from edgegen.codegen import ops
from edgegen.codegen.export.layout import Field, Kind, fields
from edgegen.errors import ModelError
from edgegen.frontend.importers.tflite import load_tflite
from tests.exactness import case_count
from tests.frontend.importers.files import Fields, build, code, model, tensor

SIZES = [0, 1, 1, 1, 2, 2, 3, 4, 4, 5, 8, 8, 100, 1 << 12, 1 << 20, (1 << 31) - 1]
KINDS = ["INT8"] * 8 + ["INT16", "INT16", "INT32", "INT32", "FLOAT32", "UINT8", "INT64", "BOOL", "INT4"]
WIDTHS = {"INT16": 2, "INT32": 4, "FLOAT32": 4, "INT64": 8}
NUMBERS = [0, 0, 1, 1, 1, 2, 3, -1, 5, 127, -128, 1000, (1 << 31) - 1, -(1 << 31)]
SCALES = [None, 0.5, 0.5, 0.1, 1e-38, 3e38, 1 / 256, 1 / 128]
SECONDS = 5.0
BYTES = 512 << 20


class Draw:
    """Random parts of a file."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.buffers: list[bytes] = []

    def of(self, options: list[Any]) -> Any:
        return options[int(self.rng.integers(len(options)))]

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def shape(self, usual: list[int]) -> list[int]:
        if self.chance(0.4):
            return list(usual)
        limit = 8 if self.chance(0.5) else SIZES[-1]
        return [min(self.of(SIZES), limit) for _ in range(self.rng.integers(6))]

    def constant(self, count: int, kind: str) -> int:
        """Index of a new buffer with small numbers or noise."""
        width = WIDTHS.get(kind, 1)
        small = self.rng.choice(np.array([0, 1, 2, 3, -1, 1 << 30]), count).astype(f"<i{width}").tobytes()
        self.buffers.append(small if self.chance(0.5) else self.rng.bytes(count * width))
        return len(self.buffers)

    def tensor(self, name: str, usual: list[int], *, constant: bool) -> Fields:
        kind, shape = self.of(KINDS), self.shape(usual)
        buffer = self.constant(math.prod(shape), kind) if constant and math.prod(shape) < 5000 else 0
        scale: Any = self.of(SCALES)
        if shape and 0 < shape[0] < 1000 and self.chance(0.15):
            scale = [0.1] * shape[0]
        points = self.of([0, 0, -128, 127, 3])
        return tensor(
            name, shape, kind, scale=scale, zero_point=points, buffer=buffer, IsVariable=self.chance(0.1)
        )

    def option(self, item: Field) -> Any:
        if item.kind is Kind.OFFSET:
            return "name"
        if item.kind is Kind.VECTOR:
            return [self.of(NUMBERS) for _ in range(self.rng.integers(5))]
        if item.number == "Bool":
            return self.chance(0.5)
        return self.of([0, 0, 1, 1, 2, 3, 5]) if item.width == 1 else self.of(NUMBERS)


def operator_file(name: str, seed: int) -> bytes:
    """One operator of that name and nothing about it that has to fit."""
    draw, kind = Draw(seed), ops.by_tflite_name()[name]
    inputs, outputs = int(draw.rng.integers(0, 6)), draw.of([1, 1, 1, 2, 0])
    usual = [draw.of(SIZES[1:9]) for _ in range(4)]
    made = [
        draw.tensor(f"t{k}", usual, constant=0 < k < inputs and draw.chance(0.7))
        for k in range(inputs + outputs)
    ]
    operator: Fields = {
        "OpcodeIndex": 0,
        "Inputs": [-1 if draw.chance(0.08) else k for k in range(inputs)],
        "Outputs": list(range(inputs, inputs + outputs)),
    }
    if kind.tflite_options is not None and draw.chance(0.9):
        options = {item.name: draw.option(item) for item in fields(kind.tflite_options).values()}
        operator["Options"] = (kind.tflite_options, options)
    given = [k for k in range(inputs) if not made[k]["Buffer"] and not made[k]["IsVariable"]]
    return build(
        model(
            codes=[code(name)],
            tensors=made,
            operators=[operator],
            inputs=given,
            outputs=list(operator["Outputs"]),
            buffers=draw.buffers,
        )
    )


@pytest.mark.parametrize("name", ops.by_tflite_name())
def test_anything_about_an_operator(name: str) -> None:
    for seed in range(min(case_count(60), 500)):
        data = operator_file(name, seed)
        tracemalloc.start()
        start = time.perf_counter()
        try:
            with contextlib.suppress(ModelError):
                load_tflite(data)
            seconds, (_, peak) = time.perf_counter() - start, tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert seconds < SECONDS and peak < BYTES, f"seed {seed}: {seconds:.1f} s, {peak} bytes"
