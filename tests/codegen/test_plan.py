"""The memory plan: checked by following every byte through a run, and against the bound."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgegen.codegen import ops
from edgegen.codegen.graph import DType, Graph, Node, Quantization, Tensor
from edgegen.codegen.lower import LoweredGraph, lower
from edgegen.codegen.ops.reshape import ReshapeAttributes
from edgegen.codegen.plan import COPY, Location, MemoryPlan, plan_memory
from tests.random_graphs import random_graph

Q = Quantization((0.5,), (3,))


class Memory:
    """Who wrote each byte of the arena, of the state and of every caller's buffer."""

    def __init__(self, lowered: LoweredGraph, plan: MemoryPlan) -> None:
        self.graph, self.plan = lowered.graph, plan
        self.places = {("arena", 0): np.full(plan.arena_bytes, "", object)}
        self.values: dict[str, str] = {}
        for name in (*self.graph.inputs, *(tensor.name for tensor in self.graph.states())):
            self.write(name)

    def region(self, name: str) -> np.ndarray:
        place, size = self.plan.locations[name], self.graph.tensors[name].bytes
        if place.kind in ("arena", "state"):
            total = self.plan.arena_bytes if place.kind == "arena" else self.plan.state_bytes
            block = self.places.setdefault((place.kind, 0), np.full(total, "", object))
            assert place.position + size <= total
            return block[place.position : place.position + size]
        return self.places.setdefault((place.kind, place.position), np.full(size, "", object))

    def write(self, name: str) -> None:
        assert self.plan.locations[name].kind != "constant"
        self.values[name] = name
        self.region(name)[:] = name

    def alias(self, source: str, result: str) -> None:
        assert self.plan.locations[source] == self.plan.locations[result]
        self.values[result] = self.values.get(source, source)

    def check(self, name: str) -> None:
        if self.plan.locations[name].kind != "constant":
            assert (self.region(name) == self.values[name]).all(), f"{name} is no longer there"


def run_symbolically(lowered: LoweredGraph, plan: MemoryPlan) -> None:
    """Follow the bytes: every kernel finds its inputs whole, and the outputs are whole at the end."""
    memory = Memory(lowered, plan)
    for index, step in enumerate(lowered.steps):
        sources = [step.view.input(position).name for position in step.call.inputs]
        for name in sources:
            memory.check(name)
        if index in plan.elided:
            memory.alias(sources[0], step.node.outputs[0])
            continue
        scratch = scratch_of(plan, index, step.call.scratch_bytes)
        touched: list[tuple[str, range]] = [("scratch", scratch)]
        for position, name in enumerate(step.node.outputs):
            allowed = {step.view.input(p).name for p in step.call.in_place} if position == 0 else set()
            for other in sources:
                if overlap(plan, lowered.graph, name, other):
                    assert other in allowed and plan.locations[name] == plan.locations[other]
            touched.append((name, arena_range(plan, lowered.graph, name)))
            memory.write(name)
        touched += [(name, arena_range(plan, lowered.graph, name)) for name in sources]
        assert not any(set(scratch) & set(place) for who, place in touched if who != "scratch")
        if len(scratch):
            memory.places[("arena", 0)][scratch.start : scratch.stop] = "scratch"
    for name in lowered.graph.outputs:
        memory.check(name)


def scratch_of(plan: MemoryPlan, index: int, size: int) -> range:
    return range(plan.scratch[index], plan.scratch[index] + size) if size else range(0)


def arena_range(plan: MemoryPlan, graph: Graph, name: str) -> range:
    place = plan.locations[name]
    return (
        range(place.position, place.position + graph.tensors[name].bytes)
        if place.kind == "arena"
        else range(0)
    )


def overlap(plan: MemoryPlan, graph: Graph, a: str, b: str) -> bool:
    if plan.locations[a].kind != "arena":
        return plan.locations[a] == plan.locations[b]
    return bool(set(arena_range(plan, graph, a)) & set(arena_range(plan, graph, b)))


def with_scratch(lowered: LoweredGraph, rng: np.random.Generator) -> LoweredGraph:
    """Some of the steps ask for scratch bytes."""
    sizes = rng.choice([0, 0, 7, 64], len(lowered.steps))
    steps = [
        step
        if size == 0 or step.call.kernel == COPY
        else replace(step, call=replace(step.call, scratch_bytes=int(size)))
        for step, size in zip(lowered.steps, sizes, strict=True)
    ]
    return replace(lowered, steps=tuple(steps))


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([4, 16]))
def test_every_byte_is_there_when_it_is_read(seed: int, alignment: int) -> None:
    rng = np.random.default_rng(seed)
    lowered = with_scratch(lower(random_graph(rng, steps=int(rng.integers(1, 25)))), rng)
    plan = plan_memory(lowered, alignment=alignment)
    run_symbolically(lowered, plan)
    assert plan.bound_bytes <= plan.arena_bytes
    assert all(buffer.offset % alignment == 0 for buffer in plan.buffers)
    assert plan_memory(lowered, alignment=alignment).locations == plan.locations


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_the_bound_is_reached_or_the_gap_is_named(seed: int) -> None:
    plan = plan_memory(lower(random_graph(np.random.default_rng(seed), steps=20)), alignment=4)
    if plan.arena_bytes == plan.bound_bytes:
        assert "optimal" in plan.describe()
    else:
        assert f"gap {plan.arena_bytes - plan.bound_bytes}" in plan.describe()


def elementwise(*names: str, outputs: tuple[str, ...] = (), op: str = "relu") -> Graph:
    """A chain of elementwise operators from names[0] to the last name."""
    tensors = [Tensor(name, (1, 8), DType.INT8, Q) for name in names]
    nodes = [Node(f"{a}_{b}", op, (a,), (b,)) for a, b in pairwise(names)]
    return Graph.build(
        name="chain", tensors=tensors, nodes=nodes, inputs=names[:1], outputs=outputs or names[-1:]
    )


def test_elementwise_chains_work_in_one_buffer() -> None:
    plan = plan_memory(lower(elementwise("x", "a", "b", "c", "y")), alignment=4)
    assert plan.arena_bytes == 8
    assert plan.locations["a"] == plan.locations["b"] == plan.locations["c"]
    assert plan.locations["x"] == Location("input", 0)
    assert plan.locations["y"] == Location("output", 0)


def test_the_caller_s_input_is_never_written() -> None:
    plan = plan_memory(lower(elementwise("x", "a", "y")), alignment=4)
    assert plan.locations["a"].kind == "arena"


def test_a_tensor_that_is_read_again_keeps_its_buffer() -> None:
    graph = elementwise("x", "a", "b", "c", "y", outputs=("y", "a"))
    plan = plan_memory(lower(graph), alignment=4)
    assert plan.locations["a"] == Location("output", 1)
    assert plan.locations["b"] == plan.locations["c"] != plan.locations["a"]


def reshaped(inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Graph:
    """x -> relu -> a -> reshape -> b -> relu -> y."""
    shapes = {"x": (1, 8), "a": (1, 8), "b": (8,), "y": (8,)}
    nodes = [
        Node("one", "relu", ("x",), ("a",)),
        Node("two", "reshape", ("a",), ("b",), ReshapeAttributes(shape=(8,))),
        Node("three", "relu", ("b",), ("y",)),
    ]
    tensors = [Tensor(name, shape, DType.INT8, Q) for name, shape in shapes.items()]
    return Graph.build(name="reshaped", tensors=tensors, nodes=nodes, inputs=inputs, outputs=outputs)


def test_a_reshape_costs_nothing() -> None:
    plan = plan_memory(lower(reshaped(("x",), ("y",))), alignment=4)
    assert plan.elided == {1}
    assert plan.locations["a"] == plan.locations["b"]
    assert plan.arena_bytes == 8


def test_both_sides_of_a_reshape_as_outputs_are_two_buffers() -> None:
    lowered = lower(reshaped(("x",), ("a", "b", "y")))
    plan = plan_memory(lowered, alignment=4)
    assert plan.elided == set()
    run_symbolically(lowered, plan)


def test_an_input_that_is_an_output_too_stays_where_the_caller_has_it() -> None:
    plan = plan_memory(lower(elementwise("x", "y", outputs=("y", "x"))), alignment=4)
    assert plan.locations["x"] == Location("input", 0)
    assert plan.arena_bytes == 0


@pytest.mark.parametrize("alignment", [4, 16])
def test_sizes_are_rounded_to_the_alignment(alignment: int) -> None:
    tensors = [Tensor(name, (1, 5), DType.INT8, Q) for name in "xaby"]
    nodes = [Node("one", "relu", ("x",), ("a",)), Node("two", "relu", ("x",), ("b",))]
    nodes.append(Node("sum", "add", ("a", "b"), ("y",), ops.get("add").attributes()))
    graph = Graph.build(name="sum", tensors=tensors, nodes=nodes, inputs=("x",), outputs=("y",))
    plan = plan_memory(lower(graph), alignment=alignment)
    assert plan.arena_bytes == plan.bound_bytes == 2 * -(-5 // alignment) * alignment


def test_a_graph_that_returns_its_input_needs_no_arena() -> None:
    tensor = Tensor("x", (4,), DType.INT8, Q)
    graph = Graph.build(name="nothing", tensors=[tensor], nodes=[], inputs=("x",), outputs=("x",))
    plan = plan_memory(lower(graph), alignment=4)
    assert (plan.arena_bytes, plan.bound_bytes) == (0, 0)
