"""Small models for the tests of emission, build and proof, and how to get projects of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from edgegen.codegen import ops
from edgegen.codegen.build import BuildOptions, BuildReport, build
from edgegen.codegen.emit import Emission, ProjectInput, emit
from edgegen.codegen.export.tflite import write_tflite
from edgegen.codegen.graph import Array, Attributes, DType, Graph, Node, Quantization, Tensor
from edgegen.codegen.lower import lower
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.common import Padding
from edgegen.codegen.ops.conv2d import Conv2dAttributes
from edgegen.codegen.ops.pools import PoolAttributes
from edgegen.codegen.ops.quantize import QuantizeAttributes
from edgegen.codegen.ops.reshape import ReshapeAttributes
from edgegen.codegen.plan import plan_memory
from edgegen.codegen.reference import Reference
from edgegen.codegen.source import QuantizedSource
from edgegen.codegen.vectors import draw_vectors
from edgegen.targets import Target, load_target

SAME = Padding(1, 1, 1, 1)


class GraphBuilder:
    """Adds nodes one by one; shapes are inferred."""

    def __init__(self, name: str, *, seed: int = 0) -> None:
        self.name = name
        self.rng = np.random.default_rng(seed)
        self.tensors: dict[str, Tensor] = {}
        self.nodes: list[Node] = []
        self.inputs: list[str] = []

    def input(self, name: str, shape: tuple[int, ...], dtype: str = "int8", *, scale: float = 0.05) -> str:
        q = (
            None
            if dtype in ("float32", "int32", "bool")
            else Quantization((float(np.float32(scale)),), (-3,))
        )
        self.tensors[name] = Tensor(name, shape, DType(dtype), q)
        self.inputs.append(name)
        return name

    def state(self, name: str, data: Array, *, scale: float) -> str:
        q = Quantization((float(np.float32(scale)),), (-3,))
        self.tensors[name] = Tensor(name, data.shape, DType(data.dtype.name), q, data, state=True)
        return name

    def constant(self, data: Array, q: Quantization | None = None) -> str:
        name = f"constant{len(self.tensors)}"
        self.tensors[name] = Tensor(name, data.shape, DType(data.dtype.name), q, data)
        return name

    def weights(self, *shape: int) -> tuple[str, str]:
        """Weights (out, ...) with a scale a channel, and a bias."""
        scales = tuple(float(s) for s in self.rng.uniform(0.005, 0.02, shape[0]).astype(np.float32))
        data = self.rng.integers(-127, 128, shape).astype(np.int8)
        bias = self.rng.integers(-2000, 2000, shape[0]).astype(np.int32)
        return self.constant(data, Quantization(scales, (0,) * shape[0], 0)), self.constant(bias)

    def node(
        self,
        op: str,
        inputs: Sequence[str],
        name: str,
        attributes: Attributes | None = None,
        *,
        scale: float | None = 0.05,
        zero_point: int = -3,
    ) -> str:
        operator = ops.get(op)
        node = Node(name, op, tuple(inputs), (name,), attributes or operator.attributes())
        q = None if scale is None else Quantization((float(np.float32(scale)),), (zero_point,))
        given = tuple(self.tensors[item] for item in inputs)
        draft = Tensor(name, (), DType.INT8, q)
        kinds = operator.infer(NodeView(node=node, inputs=given, outputs=(draft,)))
        if kinds:
            self.tensors[name] = Tensor(name, kinds[0].shape, kinds[0].dtype, q)
        self.nodes.append(node if kinds else node.replace(outputs=()))
        return name

    def graph(self, *outputs: str) -> Graph:
        return Graph.build(
            name=self.name,
            tensors=self.tensors.values(),
            nodes=self.nodes,
            inputs=self.inputs,
            outputs=outputs,
        )


def cnn(name: str = "small net", *, seed: int = 0) -> Graph:
    """Convolution, residual sum, pooling, reshape, dense, softmax: 6 x 6 x 2 to 5 classes."""
    b = GraphBuilder(name, seed=seed)
    x = b.input("image", (1, 6, 6, 2))
    stem = b.node(
        "conv2d", (x, *b.weights(4, 3, 3, 2)), "stem", Conv2dAttributes(padding=SAME, activation="relu")
    )
    inner = b.node("conv2d", (stem, *b.weights(4, 3, 3, 4)), "inner", Conv2dAttributes(padding=SAME))
    total = b.node("add", (inner, stem), "skip")
    pooled = b.node("max_pool2d", (total,), "pool", PoolAttributes(size=(2, 2), stride=(2, 2)))
    flat = b.node("reshape", (pooled,), "flatten", ReshapeAttributes(shape=(1, 36)))
    logits = b.node("fully_connected", (flat, *b.weights(5, 36)), "classify", scale=0.2)
    return b.graph(b.node("softmax", (logits,), "scores", scale=1 / 256, zero_point=-128))


def several_ports(name: str = "ports") -> Graph:
    """Two inputs, one of them float, and three outputs: int8, float, and an input passed on."""
    b = GraphBuilder(name)
    x = b.input("left", (1, 3), scale=0.1)
    y = b.input("right:0", (1, 3), "float32")
    quantized = b.node("quantize", (y,), "quantized", QuantizeAttributes(), scale=0.1)
    total = b.node("add", (x, quantized), "total", scale=0.2)
    real = b.node("dequantize", (total,), "real", scale=None)
    return b.graph(total, real, x)


def stateful(name: str = "counter") -> Graph:
    """Adds what it is given to what it was given before: y[t] = x[t] + x[t-1]."""
    b = GraphBuilder(name)
    x = b.input("x", (1, 6), scale=0.1)
    memory = b.state("memory", np.zeros((1, 6), np.int8), scale=0.1)
    before = b.node("read_variable", (memory,), "before", scale=0.1)
    total = b.node("add", (x, before), "total", scale=0.1)
    b.node("assign_variable", (memory, x), "keep")
    return b.graph(total)


def source_of(graph: Graph) -> QuantizedSource:
    return QuantizedSource(
        name=graph.name, tflite=write_tflite(graph), described="a test", file_name="test.tflite"
    )


def emission_of(graph: Graph, target: str = "host") -> Emission:
    """The emitted files of a graph."""
    chosen: Target = load_target(target)
    lowered = lower(graph, target=chosen)
    plan = plan_memory(lowered, alignment=chosen.alignment)
    inputs = draw_vectors(graph, 3, seed=0)
    outputs = Reference(graph).run([array[2:] for array in inputs]).outputs
    return emit(
        ProjectInput(
            lowered=lowered,
            plan=plan,
            target=chosen,
            model_hash="0123456789abcdef",
            stack_bytes=96 if target == "cortex-m4" else None,
            check_inputs=tuple(array[2] for array in inputs),
            check_outputs=tuple(array[0] for array in outputs),
        )
    )


def write_library(graph: Graph, folder: Path, target: str = "host") -> Path:
    """lib/<model> of a graph, written below a folder; src with the harness's configuration too."""
    emission = emission_of(graph, target)
    for place, content in emission.files.items():
        if place.parts[0] in ("lib", "src"):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_bytes(content)
    return folder / "lib" / emission.model


def build_project(graph: Graph, output: Path, target: str = "host", **options: object) -> BuildReport:
    """A built project of a graph."""
    return build(source_of(graph), load_target(target), output, options=BuildOptions(**options))  # type: ignore[arg-type]


def texts(emission: Emission) -> Mapping[str, str]:
    return {str(place): content.decode("utf-8", "replace") for place, content in emission.files.items()}
