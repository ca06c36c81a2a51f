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

LONGEST_COMMENT = 100


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
    """What an invocation does, and what a reset does."""

    calls: tuple[LayerCall, ...]
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
    addresses = _Addresses(lowered.graph, plan, pool, {"input": inputs, "output": outputs})
    calls = tuple(
        _call(index, step, plan, pool, addresses)
        for index, step in enumerate(lowered.steps)
        if index not in plan.elided
    )
    copies = _copies(lowered.graph, plan, addresses, outputs)
    return CallSequence(calls, copies, _states(lowered.graph, plan, pool))


def comment_text(text: str) -> str:
    """One short line of ASCII that cannot end a comment, continue it or form a trigraph."""
    plain = re.sub(r"[^ -~]", "?", text)
    safe = plain.replace("*/", "* /").replace("/*", "/ *").replace("\\", "/")
    safe = re.sub(r"\?\?+", "?", safe)
    return safe if len(safe) <= LONGEST_COMMENT else safe[: LONGEST_COMMENT - 3] + "..."


class _Addresses:
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


def _call(index: int, step: Step, plan: MemoryPlan, pool: ConstantPool, addresses: _Addresses) -> LayerCall:
    label = f"l{index}"
    comment = comment_text(f"{step.node.op} {step.node.name}")
    arguments = [addresses.read(step.view.input(position).name) for position in step.call.inputs]
    arguments += [addresses.write(tensor.name) for tensor in step.view.outputs]
    if step.call.scratch_bytes:
        arguments.append(f"(void *)(arena + {plan.scratch[index]})")
    output = step.view.outputs[0] if step.view.outputs else None
    return LayerCall(
        index=index,
        label=label,
        comment=comment,
        kernel=step.call.kernel,
        members=tuple(pool.initialiser(label, step.call.params, comment)),
        arguments=tuple(arguments),
        output="0" if output is None else addresses.of(output.name),
        output_bytes=0 if output is None else output.bytes,
    )


def _copies(
    graph: Graph, plan: MemoryPlan, addresses: _Addresses, outputs: Sequence[Port]
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
