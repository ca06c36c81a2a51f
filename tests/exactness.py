"""The harness of the operators' tests: TFLM = NumPy reference = host C, byte for byte.

graph = one_op_graph("conv2d", Conv2dAttributes(...), [X, W, B], [Y])
assert_exact(graph, rng=rng)
"""

from __future__ import annotations

import atexit
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
from hypothesis import HealthCheck, settings

from edgegen.codegen import hostlib, ops
from edgegen.codegen.export.tflite import write_tflite
from edgegen.codegen.graph import Array, Attributes, DType, Graph, Node, Quantization, Tensor
from edgegen.codegen.ops.base import NodeView, TensorType
from edgegen.codegen.reference import Reference
from edgegen.frontend.importers.tflite import load_tflite
from edgegen.oracle.tflm import TflmOracle


def case_count(default: int) -> int:
    """How many cases a property test draws: `default`, or what EDGEGEN_CASES says."""
    return int(os.environ.get("EDGEGEN_CASES", default))


def cases(default: int) -> settings:
    """Hypothesis settings for an exactness property; every case runs a process, so no deadline."""
    return settings(
        max_examples=case_count(default),
        deadline=None,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@dataclass(frozen=True, eq=False)
class T:
    """A tensor of a test graph. `scale` and `zero_point` are numbers or sequences along `axis`.

    An output may leave its shape None: it is inferred.
    """

    shape: tuple[int, ...] | None = None
    dtype: str = "int8"
    scale: npt.ArrayLike | None = None
    zero_point: npt.ArrayLike = 0
    data: npt.ArrayLike | None = None
    axis: int | None = None
    state: bool = False


def tensor(name: str, spec: T, inferred: TensorType | None = None) -> Tensor:
    """The graph's tensor for a spec. Scales are rounded to float32, as a file would."""
    shape = spec.shape
    if shape is None:
        assert inferred is not None or spec.data is not None, f"{name} has no shape"
        shape = np.asarray(spec.data).shape if inferred is None else inferred.shape
    data = None if spec.data is None else np.array(spec.data, dtype=spec.dtype).reshape(shape)
    return Tensor(
        name=name,
        shape=tuple(int(size) for size in shape),
        dtype=DType(spec.dtype),
        quantization=_quantization(spec),
        data=data,
        state=spec.state,
    )


def _quantization(spec: T) -> Quantization | None:
    if spec.scale is None:
        return None
    scales = np.atleast_1d(np.asarray(spec.scale, dtype=np.float32))
    points = np.broadcast_to(np.atleast_1d(np.asarray(spec.zero_point)), scales.shape)
    axis = spec.axis if len(scales) == 1 or spec.axis is not None else 0
    return Quantization(tuple(float(s) for s in scales), tuple(int(p) for p in points), axis)


def one_op_graph(
    op: str, attributes: Attributes | None, inputs: Sequence[T | None], outputs: Sequence[T]
) -> Graph:
    """A graph of one node. Inputs without data are the graph's inputs, in order."""
    operator = ops.get(op)
    given = [None if spec is None else tensor(f"in{k}", spec) for k, spec in enumerate(inputs)]
    node = Node(
        name=op,
        op=op,
        inputs=tuple(None if item is None else item.name for item in given),
        outputs=tuple(f"out{k}" for k in range(len(outputs))),
        attributes=operator.attributes() if attributes is None else attributes,
    )
    drafts = tuple(tensor(f"out{k}", _with_shape(spec)) for k, spec in enumerate(outputs))
    inferred = operator.infer(NodeView(node=node, inputs=tuple(given), outputs=drafts))
    made = [
        tensor(f"out{k}", spec, kind) for k, (spec, kind) in enumerate(zip(outputs, inferred, strict=True))
    ]
    present = [item for item in given if item is not None]
    return Graph.build(
        name="case",
        tensors=[*present, *made],
        nodes=[node],
        inputs=[item.name for item in present if not item.constant and not item.state],
        outputs=node.outputs,
    )


def _with_shape(spec: T) -> T:
    """A draft for inference, which must not look at the output's shape."""
    return spec if spec.shape is not None else T((), spec.dtype, spec.scale, spec.zero_point, axis=spec.axis)


# Inputs ------------------------------------------------------------------------------------------------


def uniform(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Every value of the type alike."""
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind == "f":
        return rng.normal(size=shape).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)


def extremes(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """The lowest or the highest value, one for the whole array or one an element."""
    if dtype.kind in "bf":
        return uniform(rng, shape, dtype)
    limits = np.iinfo(dtype)
    size = shape if rng.integers(2) else (1,) * len(shape)
    picked = rng.choice(np.array([limits.min, limits.max], dtype=dtype), size=size)
    return np.broadcast_to(picked, shape).astype(dtype)


def small(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Small amplitude around one level, so that nothing saturates."""
    if dtype.kind in "bf":
        return uniform(rng, shape, dtype)
    limits = np.iinfo(dtype)
    level = int(rng.integers(limits.min // 2, limits.max // 2))
    return np.clip(level + rng.integers(-6, 7, shape), limits.min, limits.max).astype(dtype)


def walk(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """A random walk along the flattened array."""
    if dtype.kind in "bf":
        return uniform(rng, shape, dtype)
    limits = np.iinfo(dtype)
    count = int(np.prod(shape))
    steps = np.cumsum(rng.integers(-8, 9, count)) + int(rng.integers(limits.min // 2, limits.max // 2))
    return np.clip(steps, limits.min, limits.max).astype(dtype).reshape(shape)


def blocky(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Runs of equal values."""
    count = int(np.prod(shape))
    run = int(rng.integers(1, 9))
    values = uniform(rng, (count // run + 1,), dtype)
    return np.repeat(values, run)[:count].reshape(shape)


GENERATORS: tuple[Callable[[np.random.Generator, tuple[int, ...], np.dtype[Any]], Array], ...] = (
    uniform,
    extremes,
    small,
    walk,
    blocky,
)


def random_inputs(graph: Graph, *, rng: np.random.Generator, vectors: int) -> tuple[Array, ...]:
    """Inputs (V, *shape), each vector from the next kind of generator."""

    def draw(item: Tensor) -> Array:
        rows = [GENERATORS[k % len(GENERATORS)](rng, item.shape, item.dtype.numpy) for k in range(vectors)]
        return np.stack(rows)

    return tuple(draw(item) for item in graph.input_tensors())


# The three runs ----------------------------------------------------------------------------------------


@cache
def oracle() -> TflmOracle:
    """One worker process for the whole test run."""
    made = TflmOracle()
    atexit.register(made.close)
    return made


def tflm_exists() -> bool:
    """Whether TFLM can be asked on this system; its package is for Linux on x86-64 only."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def assert_exact(
    graph: Graph,
    *,
    rng: np.random.Generator,
    vectors: int = 8,
    sequence: bool = False,
    inputs: Sequence[Array] | None = None,
) -> None:
    """Inference, NumPy reference, TensorFlow Lite Micro and host C agree on shapes and on every byte.

    `sequence` lets state go on from vector to vector. `inputs` replaces the random ones.
    """
    assert_inferred(graph)
    given = random_inputs(graph, rng=rng, vectors=vectors) if inputs is None else tuple(inputs)
    reference = run_reference(graph, given, sequence=sequence)
    data = write_tflite(graph)
    if tflm_exists():
        compare(graph, "TFLM", oracle().run(data, given, sequence=sequence), reference)
    compare(graph, "host C", run_host(graph, given, sequence=sequence), reference)


def assert_exact_file(
    data: bytes, *, rng: np.random.Generator, vectors: int = 8, sequence: bool = False
) -> Graph:
    """A .tflite file, its graph, and the file written from the graph again all give the same bytes."""
    graph = load_tflite(data)
    given = random_inputs(graph, rng=rng, vectors=vectors)
    if tflm_exists():
        original = oracle().run(data, given, sequence=sequence)
        compare(graph, "the file in TFLM", original, run_reference(graph, given, sequence=sequence))
    assert_exact(graph, rng=rng, vectors=vectors, sequence=sequence, inputs=given)
    return graph


def assert_inferred(graph: Graph) -> None:
    """The declared outputs of every node are what its operator infers."""
    for node in graph.nodes:
        view = NodeView.of(graph, node)
        declared = tuple(TensorType(item.shape, item.dtype) for item in view.outputs)
        assert ops.get(node.op).infer(view) == declared


def run_reference(graph: Graph, inputs: Sequence[Array], *, sequence: bool = False) -> tuple[Array, ...]:
    """The integer reference; state is fresh for each vector unless `sequence`."""
    reference = Reference(graph)
    if sequence or not graph.states():
        return reference.run(inputs).outputs
    rows = []
    for vector in range(len(inputs[0]) if inputs else 1):
        reference.reset()
        rows.append(reference.run([array[vector : vector + 1] for array in inputs]).outputs)
    return tuple(np.concatenate(column) for column in zip(*rows, strict=True))


def run_host(graph: Graph, inputs: Sequence[Array], *, sequence: bool = False) -> tuple[Array, ...]:
    """The C that ships, one vector at a time."""
    calls = [_call(NodeView.of(graph, node)) for node in graph.nodes]
    states = _reset(graph)
    rows = []
    for vector in range(len(inputs[0]) if inputs else 1):
        states = states if sequence else _reset(graph)
        rows.append(_on_host(graph, calls, states, [array[vector] for array in inputs]))
    return tuple(np.stack(column) for column in zip(*rows, strict=True))


def _call(view: NodeView) -> ops.Call:
    operator = ops.get(view.node.op)
    return operator.call(view, operator.prepare(view))


def _reset(graph: Graph) -> dict[str, Array]:
    """Fresh copies of the state tensors."""
    return {item.name: np.array(item.data) for item in graph.states() if item.data is not None}


def _on_host(
    graph: Graph, calls: Sequence[ops.Call], states: Mapping[str, Array], inputs: Sequence[Array]
) -> tuple[Array, ...]:
    known: dict[str, Array] = dict(zip(graph.inputs, inputs, strict=True))
    known |= {item.name: item.data for item in graph.tensors.values() if item.data is not None}
    known |= states
    for node, call in zip(graph.nodes, calls, strict=True):
        names = [node.inputs[position] for position in call.inputs]
        kinds = [TensorType(item.shape, item.dtype) for item in graph.node_outputs(node)]
        made = hostlib.run_call(call, [known[name] for name in names if name is not None], kinds)
        known |= dict(zip(node.outputs, made, strict=True))
    return tuple(known[name] for name in graph.outputs)


def compare(graph: Graph, who: str, got: Sequence[Array], expected: Sequence[Array]) -> None:
    """Equal in every byte, or a failure that shows the first difference."""
    assert len(got) == len(expected), f"{who} gives {len(got)} outputs, the reference {len(expected)}"
    for name, mine, reference in zip(graph.outputs, got, expected, strict=True):
        assert mine.dtype == reference.dtype, f"{who}, {name}: {mine.dtype} is not {reference.dtype}"
        assert mine.shape == reference.shape, f"{who}, {name}: {mine.shape} is not {reference.shape}"
        if mine.tobytes() != reference.tobytes():
            raise AssertionError(_difference(graph, who, name, mine, reference))


def _difference(graph: Graph, who: str, name: str, mine: Array, reference: Array) -> str:
    kind = f"u{mine.dtype.itemsize}"
    wrong = np.argwhere(np.ascontiguousarray(mine).view(kind) != np.ascontiguousarray(reference).view(kind))
    lines = [f"{who} differs from the reference in {len(wrong)} of {mine.size} elements of '{name}':"]
    for where in wrong[:5]:
        at = tuple(int(index) for index in where)
        lines.append(f"  vector {at[0]}, element {at[1:]}: {who} {mine[at]}, reference {reference[at]}")
    lines.append(describe(graph))
    return "\n".join(lines)


def describe(graph: Graph) -> str:
    """The graph in a few lines, for messages."""
    lines = [f"  {node.op} {node.inputs} -> {node.outputs} {node.attributes}" for node in graph.nodes]
    for item in graph.tensors.values():
        q = item.quantization
        scales = "" if q is None else f" scales {q.scales[:4]} zero points {q.zero_points[:4]}"
        lines.append(f"  {item.describe()}{scales}")
    return "\n".join(lines)
