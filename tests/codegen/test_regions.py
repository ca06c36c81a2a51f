"""Regions: followed row by row, every row is there when it is read, and no ring is larger than needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from edgegen.codegen.graph import DType, Quantization, Tensor
from edgegen.codegen.ops.base import Params, RowForm, RowInput
from edgegen.codegen.regions import Region, make_region

Q = Quantization((0.5,), (-3,))


def tensor(name: str, height: int, width_bytes: int) -> Tensor:
    return Tensor(name, (1, height, 1, width_bytes), DType.INT8, Q)


@dataclass(frozen=True)
class Layer:
    """A layer to be: what it reads (positions of earlier tensors) and through which windows."""

    sources: tuple[int, ...]
    height: int
    stride: int
    pad_top: int
    width: int


def step_of(layer: Layer, tensors: list[Tensor], result: Tensor) -> Any:
    """As much of a step as regions look at."""
    window = layer.height > 1 or layer.stride > 1
    inputs = tuple(
        RowInput(
            position=position,
            height=layer.height,
            stride=layer.stride,
            pad_top=layer.pad_top,
            left_bytes=2 if window else 0,
            right_bytes=1 if window else 0,
            padding=-3 if window else 0,
            beyond=window,
            direct=not window,
        )
        for position in range(len(layer.sources))
    )
    form = RowForm("k", "k_row", Params(), inputs, arrays=True, scratch_bytes=8)
    names = [tensors[source] for source in layer.sources]
    return SimpleNamespace(
        call=SimpleNamespace(rows=form),
        node=SimpleNamespace(inputs=[t.name for t in names]),
        view=SimpleNamespace(outputs=[result], input=lambda position: names[position]),
    )


@st.composite
def chains(draw: st.DrawFn) -> tuple[list[Any], list[Tensor]]:
    """Layers in a row, some with a skip connection; tensor 0 comes from outside."""
    tensors = [tensor("x", draw(st.integers(1, 12)), draw(st.integers(1, 9)))]
    steps = []
    for number in range(draw(st.integers(2, 6))):
        source = tensors[-1]
        twins = [i for i, t in enumerate(tensors[:-1]) if t.shape == source.shape]
        if twins and draw(st.booleans()):
            sources, made = (len(tensors) - 1, twins[-1]), replace(source, name=f"t{number}")
            layer = Layer(sources, 1, 1, 0, source.shape[3])
        else:
            height, stride = draw(st.sampled_from([(1, 1), (3, 1), (3, 2), (2, 2), (5, 1), (1, 2), (2, 3)]))
            above = draw(st.integers(0, height - 1))
            below = draw(st.integers(0, height - 1))
            count = (source.shape[1] + above + below - height) // stride + 1
            if count < 1:
                height, stride, above, count = 1, 1, 0, source.shape[1]
            layer = Layer((len(tensors) - 1,), height, stride, above, 0)
            made = tensor(f"t{number}", count, draw(st.integers(1, 9)))
        steps.append(step_of(layer, tensors, made))
        tensors.append(made)
    return steps, tensors


def follow(region: Region, tensors: list[Tensor], overlap: tuple[str, int] | None) -> None:
    """Every slot of every ring, and the bytes of the result over the operand, with who wrote them last."""
    rings = [np.full(buffer.slots, -1) for buffer in region.buffers]
    done = [0] * len(region.stages)
    names = [b.tensor for b in region.buffers]
    result = region.stages[-1].output
    lost = -1  # the last byte of the operand that is overwritten
    for number in region.order:
        stage, row = region.stages[number], done[number]
        out = region.buffers[stage.output]
        if stage.output == result:  # while its operands are read
            lost = (row + 1) * out.width_bytes - 1
        for source in stage.inputs:
            buffer = region.buffers[source.buffer]
            top = row * source.window.stride - source.window.pad_top
            for at in range(top, top + source.window.height):
                if not 0 <= at < buffer.height:
                    assert buffer.padding_offset is not None or source.window.direct
                elif buffer.offset is not None:
                    assert rings[source.buffer][at % buffer.slots] == at
                    assert buffer.left_bytes >= source.window.left_bytes
                elif overlap is not None and names[source.buffer] == overlap[0]:
                    assert overlap[1] + at * buffer.width_bytes > lost
        rings[stage.output][row % out.slots] = row
        done[number] += 1
    assert done[-1] == region.buffers[result].height


@settings(max_examples=400, deadline=None)
@given(chains())
def test_every_row_is_there_when_it_is_read(drawn: tuple[list[Any], list[Tensor]]) -> None:
    steps, tensors = drawn
    result = tensors[-1].name
    region = make_region(steps, 0, len(steps) - 1, [result])
    assert region is not None
    assert region.inside == {t.name for t in tensors[1:-1]}
    follow(region, tensors, None)
    for overlap in region.overlaps:
        follow(region, tensors, overlap)
    places = sorted(
        (b.offset, b.offset + b.slots * b.row_bytes + 3) for b in region.buffers if b.offset is not None
    )
    assert all(a[1] < b[0] for a, b in pairwise(places))
    assert not places or places[-1][1] < region.kernel_scratch + 8


@settings(max_examples=200, deadline=None)
@given(chains())
def test_no_ring_has_a_slot_too_many(drawn: tuple[list[Any], list[Tensor]]) -> None:
    steps, tensors = drawn
    region = make_region(steps, 0, len(steps) - 1, [tensors[-1].name])
    assert region is not None
    for number, buffer in enumerate(region.buffers):
        if buffer.offset is None or buffer.slots == 1:
            continue
        buffers = list(region.buffers)
        buffers[number] = replace(buffer, slots=buffer.slots - 1)
        try:
            follow(replace(region, buffers=tuple(buffers)), tensors, None)
        except AssertionError:
            continue
        raise AssertionError(f"{buffer.tensor} does with {buffer.slots - 1} slots")


def test_layers_that_cannot_run_by_rows_and_tensors_that_others_need() -> None:
    tensors = [tensor("x", 8, 4)]
    steps = []
    for name in ("a", "b", "c"):
        made = tensor(name, 8, 4)
        steps.append(step_of(Layer((len(tensors) - 1,), 3, 1, 1, 4), tensors, made))
        tensors.append(made)
    assert make_region(steps, 0, 2, ["c"]) is not None
    assert make_region(steps, 0, 1, ["c"]) is not None
    assert make_region(steps, 0, 2, ["a", "c"]) is None  # a is an output
    steps.append(step_of(Layer((1,), 1, 1, 0, 4), tensors, tensor("d", 8, 4)))
    assert make_region(steps, 0, 2, ["c", "d"]) is None  # d reads a
    steps[1].call.rows = None
    assert make_region(steps, 0, 2, ["c", "d"]) is None
