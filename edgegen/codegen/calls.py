"""The call sequence of a planned model, as C expressions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from edgegen.codegen.constants import ConstantPool
from edgegen.codegen.graph import Graph
from edgegen.codegen.lower import LoweredGraph, Step
from edgegen.codegen.names import c_identifier
from edgegen.codegen.plan import Location, MemoryPlan
from edgegen.codegen.ports import Port
from edgegen.codegen.regions import Region

LONGEST_COMMENT = 100
ORDER_PER_LINE = 30


@dataclass(frozen=True)
class LayerCall:
    """One line of the call sequence, with its parameters. `output` is 0 where nothing is computed."""

    index: int
    label: str
    comment: str
    kernel: str
    members: tuple[str, ...]
    arguments: tuple[str, ...]
    output: str
    output_bytes: int


@dataclass(frozen=True)
class RowsInput:
    """What a stage reads: the buffer's number, its window, and the bytes of padding that it does not want."""

    buffer: int
    height: int
    stride: int
    pad_top: int
    skip: int


@dataclass(frozen=True)
class RowsStage:
    """A stage of a region: a layer's row function, or a copy into a ring where `label` is empty."""

    number: int
    label: str
    index: int
    function: str
    arrays: bool
    inputs: tuple[RowsInput, ...]
    scratch: str
    output: str
    output_bytes: int


@dataclass(frozen=True)
class RowsBuffer:
    """A row buffer that a region reads, as C expressions."""

    number: int
    comment: str
    rows: str
    padding: str
    height: int
    row_bytes: int
    slots: int


@dataclass(frozen=True)
class RowsFill:
    """Bytes of the arena that hold padding before the first row."""

    place: str
    value: int
    bytes: int


@dataclass(frozen=True)
class RegionCall:
    """Layers that run row by row, in one function."""

    name: str
    comment: str
    stages: tuple[RowsStage, ...]
    buffers: tuple[RowsBuffer, ...]
    fills: tuple[RowsFill, ...]
    order_rows: tuple[str, ...]


@dataclass(frozen=True)
class Invocation:
    """A line of the run: one layer, or a region."""

    layer: LayerCall | None
    region: RegionCall | None


@dataclass(frozen=True)
class OutputCopy:
    """An output that no kernel wrote where the caller wants it."""

    to: str
    source: str
    bytes: int


@dataclass(frozen=True)
class StateBlock:
    """A state tensor: where it lies and the constant that a reset copies there."""

    offset: int
    bytes: int
    initial: str


@dataclass(frozen=True)
class CallSequence:
    """What an invocation and a reset do. `calls` are all layers, `run` is what is called in order."""

    calls: tuple[LayerCall, ...]
    run: tuple[Invocation, ...]
    copies: tuple[OutputCopy, ...]
    states: tuple[StateBlock, ...]


def call_sequence(
    lowered: LoweredGraph,
    plan: MemoryPlan,
    pool: ConstantPool,
    *,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
) -> CallSequence:
    """All calls that are left after the plan; their constants go into the pool."""
    addresses = Addresses(lowered.graph, plan, pool, {"input": inputs, "output": outputs})
    by_rows = {index for region in lowered.regions for index in region.steps}
    regions = {region.first: region for region in lowered.regions}
    calls: list[LayerCall] = []
    run: list[Invocation] = []
    for index, step in enumerate(lowered.steps):
        if index in regions:
            run.append(Invocation(None, region_call(regions[index], lowered.steps, plan, addresses)))
        if index in plan.elided:
            continue
        calls.append(_call(index, step, plan, pool, addresses, by_rows=index in by_rows))
        if index not in by_rows:
            run.append(Invocation(calls[-1], None))
    copies = _copies(lowered.graph, plan, addresses, outputs)
    return CallSequence(tuple(calls), tuple(run), copies, _states(lowered.graph, plan, pool))


def comment_text(text: str) -> str:
    """One short line of ASCII that cannot end a comment, continue it or form a trigraph."""
    plain = re.sub(r"[^ -~]", "?", text)
    safe = plain.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")
    safe = re.sub(r"\?\?+", "?", safe)
    return safe if len(safe) <= LONGEST_COMMENT else safe[: LONGEST_COMMENT - 3] + "..."


class Addresses:
    """C expressions for tensors."""

    def __init__(
        self,
        graph: Graph,
        plan: MemoryPlan,
        pool: ConstantPool,
        arguments: dict[str, Sequence[Port]],
    ) -> None:
        self._graph, self._plan, self._pool, self._arguments = graph, plan, pool, arguments

    def of(self, name: str) -> str:
        place = self._plan.locations[name]
        if place.kind in self._arguments:
            return self._arguments[place.kind][place.position].argument
        if place.kind == "constant":
            return self._constant(name)
        return f"{place.kind} + {place.position}"

    def read(self, name: str) -> str:
        """The pointer for a tensor that a kernel reads; state can be written too."""
        qualifier = "" if self._plan.locations[name].kind == "state" else "const "
        return f"({qualifier}void *)({self.of(name)})"

    def write(self, name: str) -> str:
        return f"(void *)({self.of(name)})"

    def _constant(self, name: str) -> str:
        """A constant tensor; an alias of one has no data of its own but shares the buffer."""
        tensor = self._graph.tensors[name]
        while tensor.data is None:
            producer = self._graph.producer(tensor.name)
            assert producer is not None and producer.inputs[0] is not None
            tensor = self._graph.tensors[producer.inputs[0]]
        label = c_identifier(f"const_{tensor.name}")
        return self._pool.add(label, tensor.data, f"tensor {tensor.name}")


def _call(
    index: int, step: Step, plan: MemoryPlan, pool: ConstantPool, addresses: Addresses, *, by_rows: bool
) -> LayerCall:
    """A layer's parameters and how it is called; one that runs by rows has the parameters only."""
    label = f"l{index}"
    comment = comment_text(f"{step.node.op} {step.node.name}")
    arguments: list[str] = []
    output = step.view.outputs[0] if step.view.outputs else None
    params = step.call.params
    if by_rows:
        assert step.call.rows is not None
        params = step.call.rows.params
    else:
        arguments = [addresses.read(step.view.input(position).name) for position in step.call.inputs]
        arguments += [addresses.write(tensor.name) for tensor in step.view.outputs]
        if step.call.scratch_bytes:
            arguments.append(f"(void *)(arena + {plan.scratch[index]})")
    return LayerCall(
        index=index,
        label=label,
        comment=comment,
        kernel=step.kernel_of(by_rows),
        members=tuple(pool.initialiser(label, params, comment)),
        arguments=tuple(arguments),
        output="0" if output is None or by_rows else addresses.of(output.name),
        output_bytes=0 if output is None else output.bytes,
    )


def region_call(region: Region, steps: Sequence[Step], plan: MemoryPlan, addresses: Addresses) -> RegionCall:
    """The function of a region: its buffers, its stages, and the order of its rows."""
    scratch = plan.scratch.get(region.first, 0)
    fills = [
        RowsFill(f"arena + {scratch + b.offset}", b.padding, b.slots * b.row_bytes)
        for b in region.buffers
        if b.offset is not None and b.row_bytes > b.width_bytes
    ]
    above: dict[int, tuple[int, int]] = {}
    for b in region.buffers:
        if b.padding_offset is not None:
            known = above.get(b.padding_offset, (b.padding, 0))
            above[b.padding_offset] = (b.padding, max(known[1], b.row_bytes))
    fills += [RowsFill(f"arena + {scratch + at}", value, size) for at, (value, size) in above.items()]
    read = {source.buffer for stage in region.stages for source in stage.inputs}
    order = [f"{number}," for number in region.order]
    return RegionCall(
        name=f"rows_{region.first}_to_{region.last}",
        comment=f"Layers {region.first} to {region.last}, row by row",
        stages=tuple(
            _rows_stage(number, region, steps, scratch, addresses) for number in range(len(region.stages))
        ),
        buffers=tuple(
            RowsBuffer(
                number=number,
                comment=comment_text(b.tensor),
                rows=addresses.of(b.tensor) if b.offset is None else f"arena + {scratch + b.offset}",
                padding="0" if b.padding_offset is None else f"arena + {scratch + b.padding_offset}",
                height=b.height,
                row_bytes=b.row_bytes,
                slots=b.slots,
            )
            for number, b in enumerate(region.buffers)
            if number in read
        ),
        fills=tuple(fills),
        order_rows=tuple(
            " ".join(order[start : start + ORDER_PER_LINE]) for start in range(0, len(order), ORDER_PER_LINE)
        ),
    )


def _rows_stage(
    number: int, region: Region, steps: Sequence[Step], scratch: int, addresses: Addresses
) -> RowsStage:
    stage = region.stages[number]
    out = region.buffers[stage.output]
    place = addresses.of(out.tensor) if out.offset is None else f"arena + {scratch + out.offset}"
    form = None if stage.step is None else steps[stage.step].call.rows
    return RowsStage(
        number=number,
        label="" if stage.step is None else f"l{stage.step}",
        index=-1 if stage.step is None else stage.step,
        function="" if form is None else form.function,
        arrays=form is not None and form.arrays,
        inputs=tuple(
            RowsInput(
                source.buffer,
                source.window.height,
                source.window.stride,
                source.window.pad_top,
                region.buffers[source.buffer].left_bytes - source.window.left_bytes,
            )
            for source in stage.inputs
        ),
        scratch=f"arena + {scratch + region.kernel_scratch}"
        if form is not None and form.scratch_bytes
        else "",
        output=f"(int8_t *)({place}) + y % {out.slots} * {out.row_bytes} + {out.left_bytes}",
        output_bytes=out.width_bytes,
    )


def _copies(
    graph: Graph, plan: MemoryPlan, addresses: Addresses, outputs: Sequence[Port]
) -> tuple[OutputCopy, ...]:
    """Outputs that are an input, a constant, a state, or a tensor that is returned twice."""
    return tuple(
        OutputCopy(port.argument, addresses.of(name), port.bytes)
        for position, (name, port) in enumerate(zip(graph.outputs, outputs, strict=True))
        if plan.locations[name] != Location("output", position)
    )


def _states(graph: Graph, plan: MemoryPlan, pool: ConstantPool) -> tuple[StateBlock, ...]:
    blocks = []
    for tensor in graph.states():
        assert tensor.data is not None
        label = c_identifier(f"state_{tensor.name}")
        initial = pool.add(label, tensor.data, f"state {tensor.name} after a reset")
        blocks.append(StateBlock(plan.locations[tensor.name].position, tensor.bytes, initial))
    return tuple(blocks)
