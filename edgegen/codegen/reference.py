"""The integer reference: runs a quantised graph in NumPy, bit for bit as the emitted C does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from edgegen.codegen import ops
from edgegen.codegen.graph import Array, Graph, Tensor
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params
from edgegen.errors import ModelError

CHUNK_BYTES = 64 << 20
"""What one chunk of vectors may take for its largest tensor, as int64."""


@dataclass(frozen=True, eq=False)
class Results:
    """Outputs in the graph's order, each (V, *shape); every tensor by name if it was asked for."""

    outputs: tuple[Array, ...]
    tensors: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class _Step:
    view: NodeView
    operator: Operator
    params: Params
    call: Call


class Reference:
    """A prepared graph. State lives in the object and goes on from vector to vector until `reset`."""

    def __init__(self, graph: Graph) -> None:
        """Prepare every operator. ModelError lists all that cannot run in integers."""
        self.graph = graph
        self._steps = _prepare(graph)
        self._constants = {
            t.name: t.data[np.newaxis] for t in graph.tensors.values() if t.constant and t.data is not None
        }
        self._states: dict[str, Array] = {}
        self.reset()

    def reset(self) -> None:
        """Put the state to its start."""
        self._states = {
            t.name: np.array(t.data)[np.newaxis] for t in self.graph.states() if t.data is not None
        }

    def run(self, inputs: Sequence[Array], *, keep: bool = False) -> Results:
        """Run vectors (V, *shape), one array an input. With state, vectors are the steps of a sequence.

        `keep` also returns every computed tensor. Raises ModelError for inputs that do not fit.
        """
        count = check_inputs(self.graph, inputs)
        size = 1 if self._states else self._chunk()
        parts = [
            self._run_chunk([array[start : start + size] for array in inputs], keep=keep)
            for start in range(0, count, size)
        ]
        names = parts[0].keys() if parts else ()
        tensors = {name: np.concatenate([part[name] for part in parts]) for name in names}
        return Results(
            outputs=tuple(tensors[name] for name in self.graph.outputs), tensors=tensors if keep else {}
        )

    def _chunk(self) -> int:
        windows = max((step.operator.macs(step.view) // 16 for step in self._steps), default=1)
        largest = max(windows, *(tensor.size for tensor in self.graph.tensors.values()))
        return max(1, CHUNK_BYTES // (8 * largest))

    def _run_chunk(self, inputs: Sequence[Array], *, keep: bool) -> dict[str, Array]:
        known: dict[str, Array] = {**self._constants, **self._states}
        known |= dict(zip(self.graph.inputs, inputs, strict=True))
        vectors = len(inputs[0]) if inputs else 1
        for step in self._steps:
            passed = [known[name] for name in _names(step)]
            made = step.operator.run_int(step.params, passed)
            for tensor, array in zip(step.view.outputs, made, strict=True):
                # a view of a state would change when the state does
                own = array.copy() if self._states else array
                known[tensor.name] = np.broadcast_to(own, (vectors, *tensor.shape))
        wanted = self.graph.outputs if not keep else (*known, *self.graph.outputs)
        constants = self._constants.keys() | self._states.keys()
        return {
            name: np.broadcast_to(known[name], (vectors, *known[name].shape[1:]))
            for name in wanted
            if name in self.graph.outputs or name not in constants
        }


def run(graph: Graph, inputs: Sequence[Array]) -> tuple[Array, ...]:
    """The outputs of a graph for vectors (V, *shape), from fresh state."""
    return Reference(graph).run(inputs).outputs


def check_inputs(graph: Graph, inputs: Sequence[Array]) -> int:
    """How many vectors these inputs hold. ModelError if number, shape or type do not fit the graph."""
    wanted = graph.input_tensors()
    if len(inputs) != len(wanted):
        raise ModelError(f"{graph.name} takes {len(wanted)} inputs, got {len(inputs)}")
    for tensor, array in zip(wanted, inputs, strict=True):
        if array.shape[1:] != tensor.shape or array.dtype != tensor.dtype.numpy:
            raise ModelError(
                f"{graph.name}: input {tensor.describe()} takes vectors of that shape and type, "
                f"got {array.dtype}{list(array.shape)}"
            )
    counts = {len(array) for array in inputs}
    if len(counts) > 1:
        raise ModelError(f"{graph.name}: inputs hold different numbers of vectors: {sorted(counts)}")
    return counts.pop() if counts else 1


def _prepare(graph: Graph) -> list[_Step]:
    steps, found = [], []
    for node in graph.nodes:
        view = NodeView.of(graph, node)
        try:
            operator = ops.get(node.op)
            params = operator.prepare(view)
            steps.append(_Step(view, operator, params, operator.call(view, params)))
        except ModelError as problem:
            found.append(str(problem))
    if found:
        raise ModelError("\n".join(found))
    return steps


def _names(step: _Step) -> list[str]:
    tensors: list[Tensor] = [step.view.input(position) for position in step.call.inputs]
    return [tensor.name for tensor in tensors]
