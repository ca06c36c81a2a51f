"""Regions: consecutive layers that run interleaved, row by row, so that no tensor between them is ever whole.

Each tensor inside a region is a ring of the few rows that its readers still need. No row is computed twice,
so a region costs hardly more instructions than its layers one after the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from edgegen.codegen.graph import Tensor
from edgegen.codegen.ops.base import RowForm, RowInput

if TYPE_CHECKING:
    from edgegen.codegen.lower import Step

ALIGNMENT = 4
SLACK = 4
"""Bytes behind a ring: a load of a word may reach beyond its last row."""
MOST_STAGES = 250
"""Stages are numbered by bytes."""
INT8_BYTES = 1


@dataclass(frozen=True)
class RowBuffer:
    """The rows of a tensor that a region has at hand.

    `offset` is a ring's place in the scratch, None for a whole tensor; `padding_offset` that of a row
    of nothing but padding, None where no reader looks beyond the tensor's ends.
    """

    tensor: str
    height: int
    width_bytes: int
    left_bytes: int
    row_bytes: int
    slots: int
    padding: int
    offset: int | None
    padding_offset: int | None


@dataclass(frozen=True)
class StageInput:
    """What a stage reads: a buffer, and which of its rows."""

    buffer: int
    window: RowInput


@dataclass(frozen=True)
class Stage:
    """Computes one row at a time. `step` is the layer's index, None for a mere copy into a ring."""

    step: int | None
    inputs: tuple[StageInput, ...]
    output: int


@dataclass(frozen=True)
class Region:
    """Steps `first` to `last`, run in `order`: a stage's number for each row that is computed.

    `overlaps` are operands that may begin so many bytes behind the result, which grows over them; `inside`
    are the tensors that are never whole; `kernel_scratch` is where the kernels' own scratch begins.
    """

    first: int
    last: int
    stages: tuple[Stage, ...]
    buffers: tuple[RowBuffer, ...]
    order: tuple[int, ...]
    scratch_bytes: int
    kernel_scratch: int
    inside: frozenset[str]
    overlaps: tuple[tuple[str, int], ...]
    extra_instructions: int

    @property
    def steps(self) -> range:
        return range(self.first, self.last + 1)


def make_region(steps: Sequence[Step], first: int, last: int, outputs: Sequence[str]) -> Region | None:
    """The region of steps `first` to `last`; None where they cannot run row by row."""
    forms = [steps[index].call.rows for index in range(first, last + 1)]
    if any(form is None for form in forms):
        return None
    made = {steps[index].view.outputs[0].name: index for index in range(first, last + 1)}
    result = steps[last].view.outputs[0].name
    inside = frozenset(name for name in made if name != result)
    readers = {
        n for i, s in enumerate(steps) if not first <= i <= last for n in s.node.inputs if n is not None
    }
    if inside & (readers | set(outputs)):
        return None
    return _Maker(steps, first, last, [form for form in forms if form is not None]).region(inside)


class _Maker:
    """Collects stages and buffers, then follows the rows to find the order and the size of each ring."""

    def __init__(self, steps: Sequence[Step], first: int, last: int, forms: Sequence[RowForm]) -> None:
        self.steps, self.first, self.last, self.forms = steps, first, last, forms
        self.stages: list[Stage] = []
        self.tensors: list[Tensor] = []
        self.whole: list[bool] = []
        self._of: dict[str, int] = {}
        for index, form in zip(range(first, last + 1), forms, strict=True):
            view = steps[index].view
            inputs = tuple(
                StageInput(self._source(view.input(window.position), window), window)
                for window in form.inputs
            )
            output = self._buffer(view.outputs[0], whole=index == last)
            self._of[view.outputs[0].name] = output
            self.stages.append(Stage(index, inputs, output))

    def region(self, inside: frozenset[str]) -> Region | None:
        if len(self.stages) > MOST_STAGES:
            return None
        order = self._order()
        uses = self._last_uses(order)
        slots = [self._slots(buffer, order, uses) for buffer in range(len(self.tensors))]
        buffers, scratch = self._place(slots)
        own = max((form.scratch_bytes for form in self.forms), default=0)
        return Region(
            first=self.first,
            last=self.last,
            stages=tuple(self.stages),
            buffers=tuple(buffers),
            order=tuple(order),
            scratch_bytes=scratch + own,
            kernel_scratch=scratch,
            inside=inside,
            overlaps=self._overlaps(order, uses),
            extra_instructions=sum(form.extra_instructions for form in self.forms) + 40 * len(order),
        )

    def _buffer(self, tensor: Tensor, *, whole: bool) -> int:
        self.tensors.append(tensor)
        self.whole.append(whole)
        return len(self.tensors) - 1

    def _source(self, tensor: Tensor, window: RowInput) -> int:
        """The buffer to read; a tensor from outside that needs padding goes through a ring of its own."""
        known = self._of.get(tensor.name)
        if known is not None and (window.direct or not self.whole[known]):
            return known
        outside = f"{tensor.name} outside"
        if outside not in self._of:
            self._of[outside] = self._buffer(tensor, whole=True)
        if window.direct:
            return self._of[outside]
        ring = self._buffer(tensor, whole=False)
        self._of[tensor.name] = ring
        copied = RowInput(position=0, height=1, stride=1, pad_top=0, direct=True)
        self.stages.append(Stage(None, (StageInput(self._of[outside], copied),), ring))
        return ring

    def _order(self) -> list[int]:
        """Rows by demand: each is computed when the first that reads it is due."""
        maker = {stage.output: number for number, stage in enumerate(self.stages)}
        done = [0] * len(self.stages)
        order: list[int] = []

        def make(number: int) -> None:
            stage = self.stages[number]
            for source in stage.inputs:
                before = maker.get(source.buffer)
                if before is None:
                    continue
                needed = self._rows(source, done[number])
                while needed and done[before] <= needed[-1]:
                    make(before)
            done[number] += 1
            order.append(number)

        for _ in range(_height(self.tensors[self.stages[-1].output])):
            make(len(self.stages) - 1)
        return order

    def _rows(self, source: StageInput, row: int) -> range:
        """Rows of the tensor that an output row reads."""
        top = row * source.window.stride - source.window.pad_top
        return range(max(0, top), min(top + source.window.height, _height(self.tensors[source.buffer])))

    def _last_uses(self, order: Sequence[int]) -> list[dict[int, int]]:
        """By buffer: the action that reads a row last."""
        uses: list[dict[int, int]] = [{} for _ in self.tensors]
        done = [0] * len(self.stages)
        for action, number in enumerate(order):
            for source in self.stages[number].inputs:
                for row in self._rows(source, done[number]):
                    uses[source.buffer][row] = action
            done[number] += 1
        return uses

    def _slots(self, buffer: int, order: Sequence[int], uses: Sequence[Mapping[int, int]]) -> int:
        """The fewest slots in which no row is overwritten before its last use."""
        height = _height(self.tensors[buffer])
        if self.whole[buffer]:
            return height
        made = [action for action, number in enumerate(order) if self.stages[number].output == buffer]
        return next(
            slots
            for slots in range(1, height + 1)
            if all(uses[buffer].get(row - slots, -1) < made[row] for row in range(slots, len(made)))
        )

    def _place(self, slots: Sequence[int]) -> tuple[list[RowBuffer], int]:
        """Rings one after the other, then a row of padding for each value that is needed beyond the ends."""
        windows: list[list[RowInput]] = [[] for _ in self.tensors]
        for stage in self.stages:
            for source in stage.inputs:
                windows[source.buffer].append(source.window)
        rooms = [
            (max((w.left_bytes for w in around), default=0), max((w.right_bytes for w in around), default=0))
            for around in windows
        ]
        lengths = [
            left + _width(tensor) + right for tensor, (left, right) in zip(self.tensors, rooms, strict=True)
        ]
        offsets: list[int | None] = []
        at = 0
        for buffer, length in enumerate(lengths):
            offsets.append(None if self.whole[buffer] else at)
            at += 0 if self.whole[buffer] else _aligned(slots[buffer] * length + SLACK)
        rows: dict[int, int] = {}
        for buffer, around in enumerate(windows):
            if any(window.beyond for window in around):
                rows[_padding(around)] = max(rows.get(_padding(around), 0), lengths[buffer])
        places: dict[int, int] = {}
        for value, length in rows.items():
            places[value] = at
            at += _aligned(length + SLACK)
        buffers = [
            RowBuffer(
                tensor=tensor.name,
                height=_height(tensor),
                width_bytes=_width(tensor),
                left_bytes=0 if self.whole[buffer] else rooms[buffer][0],
                row_bytes=_width(tensor) if self.whole[buffer] else lengths[buffer],
                slots=slots[buffer],
                padding=_padding(windows[buffer]),
                offset=offsets[buffer],
                padding_offset=places.get(_padding(windows[buffer])),
            )
            for buffer, tensor in enumerate(self.tensors)
        ]
        return buffers, at

    def _overlaps(
        self, order: Sequence[int], uses: Sequence[Mapping[int, int]]
    ) -> tuple[tuple[str, int], ...]:
        """Tensors from outside, with the distance at which no row is overwritten that is still to be read."""
        last = self.stages[-1].output
        row_bytes = _width(self.tensors[last])
        writes = [action for action, number in enumerate(order) if number == len(self.stages) - 1]
        found = []
        for buffer, tensor in enumerate(self.tensors):
            if not self.whole[buffer] or buffer == last or tensor.constant or tensor.state:
                continue
            distance = 0
            for row, action in enumerate(writes):
                unread = [at for at, use in uses[buffer].items() if use >= action]
                if unread:
                    distance = max(distance, (row + 1) * row_bytes - min(unread) * _width(tensor))
            found.append((tensor.name, distance))
        return tuple(sorted(found, key=lambda item: (item[1], item[0])))


def _height(tensor: Tensor) -> int:
    return tensor.shape[1]


def _width(tensor: Tensor) -> int:
    return tensor.shape[2] * tensor.shape[3] * INT8_BYTES


def _padding(windows: Sequence[RowInput]) -> int:
    """The value beside a tensor, its zero point: all readers say the same."""
    return next((window.padding for window in windows if not window.direct), 0)


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
