"""Random small int8 graphs: skips, joins, reshapes, in-place candidates, several inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from edgegen.codegen import ops
from edgegen.codegen.graph import Array, Attributes, DType, Graph, Node, Quantization, Tensor
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.common import ACTIVATIONS, Padding, same_padding
from edgegen.codegen.ops.conv2d import Conv2dAttributes
from edgegen.codegen.ops.pools import PoolAttributes
from edgegen.codegen.ops.reshape import ReshapeAttributes

SCALES = (0.02, 0.05, 0.1)
"""A few scales for all tensors, so that operators which want equal ones find partners."""


def random_graph(rng: np.random.Generator, *, steps: int = 8) -> Graph:
    """A connected int8 graph of about `steps` nodes; every tensor that nothing reads is an output."""
    drawing = _Drawing(rng)
    for _ in range(int(rng.integers(1, 3))):
        drawing.input()
    for _ in range(steps):
        drawing.step()
    if rng.integers(2):
        drawing.head()
    return drawing.graph()


def attributes_of(op: str, **values: object) -> Attributes:
    return ops.get(op).attributes(**values)


class _Drawing:
    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.tensors: dict[str, Tensor] = {}
        self.nodes: list[Node] = []
        self.inputs: list[str] = []
        self.images: list[str] = []
        """Names of the (1, h, w, c) activations."""
        self.size = (int(rng.integers(3, 9)), int(rng.integers(3, 9)))

    # Parts

    def quantization(self) -> Quantization:
        scale = float(np.float32(self.rng.choice(SCALES)))
        return Quantization((scale,), (int(self.rng.integers(-20, 21)),))

    def name(self) -> str:
        return f"t{len(self.tensors)}"

    def add(self, tensor: Tensor) -> str:
        self.tensors[tensor.name] = tensor
        return tensor.name

    def input(self) -> None:
        shape = (1, *self.size, int(self.rng.integers(1, 5)))
        name = self.add(Tensor(self.name(), shape, DType.INT8, self.quantization()))
        self.inputs.append(name)
        self.images.append(name)

    def constant(self, data: Array, quantization: Quantization | None = None) -> str:
        return self.add(Tensor(self.name(), data.shape, DType(data.dtype.name), quantization, data))

    def pick(self) -> Tensor:
        """Recent activations more often, older ones for skips."""
        weights = np.arange(1, len(self.images) + 1, dtype=float) ** 2
        return self.tensors[str(self.rng.choice(self.images, p=weights / weights.sum()))]

    def node(
        self, op: str, inputs: list[str], attributes: Attributes | None = None, q: Quantization | None = None
    ) -> Tensor:
        """Append a node whose single output has the inferred shape and the given or a random quantisation."""
        kind, name = ops.get(op), self.name()
        node = Node(name, op, tuple(inputs), (name,), kind.attributes() if attributes is None else attributes)
        given = tuple(self.tensors[item] for item in inputs)
        draft = Tensor(name, (), DType.INT8, q or self.quantization())
        (shape,) = kind.infer(NodeView(node, given, (draft,)))
        made = draft.replace(shape=shape.shape, dtype=shape.dtype)
        self.add(made)
        self.nodes.append(node)
        if len(made.shape) == 4:
            self.images.append(name)
        return made

    def weights(
        self, shape: tuple[int, ...], channels: int, depth: int, x: Tensor
    ) -> tuple[list[str], float]:
        """Names of weights and bias, and the scale at which the result neither vanishes nor saturates."""
        assert x.quantization is not None
        scales = np.exp2(self.rng.uniform(-8, -6, channels)).astype(np.float32)
        data = self.rng.integers(-127, 128, shape, dtype=np.int8)
        wq = Quantization(tuple(float(s) for s in scales), (0,) * channels, shape.index(channels))
        bias = self.rng.integers(-3000, 3001, channels, dtype=np.int32)
        scale = x.quantization.scale * float(scales.mean()) * 40.0 * float(np.sqrt(depth))
        return [self.constant(data, wq), self.constant(bias)], float(np.float32(scale))

    def spread(self, scale: float) -> Quantization:
        return Quantization((scale,), (int(self.rng.integers(-100, 101)),))

    # Steps

    def step(self) -> None:
        choices: tuple[Callable[[], object], ...] = (
            self.convolution,
            self.depthwise,
            self.sum_of_two,
            self.larger,
            self.curve,
            self.pool,
            self.concatenation,
            self.pad,
            self.reshape,
            self.transpose,
            self.slice,
            self.rescale,
        )
        choices[int(self.rng.integers(len(choices)))]()

    def window(self, x: Tensor, limit: int = 3) -> tuple[tuple[int, int], tuple[int, int], Padding]:
        """Kernel, stride and padding that fit, the padding of any kind."""
        kernel = (int(self.rng.integers(1, limit + 1)), int(self.rng.integers(1, limit + 1)))
        stride = (int(self.rng.integers(1, 3)), int(self.rng.integers(1, 3)))
        if kernel[0] > x.shape[1] or kernel[1] > x.shape[2]:
            kernel = (1, 1)
        sides = [same_padding(x.shape[1 + k], kernel[k], stride[k]) for k in (0, 1)]
        kind = int(self.rng.integers(3))
        if kind == 1:
            return kernel, stride, Padding(*sides[0], *sides[1])
        return kernel, stride, Padding()

    def convolution(self) -> None:
        x = self.pick()
        kernel, stride, padding = self.window(x)
        out = int(self.rng.integers(1, 9))
        if not self.rng.integers(4):
            padding = Padding(*(int(n) for n in self.rng.integers(0, 3, 4)))
        shape = (out, *kernel, x.shape[3])
        depth = kernel[0] * kernel[1] * x.shape[3]
        constants, scale = self.weights(shape, out, depth, x)
        activation = str(self.rng.choice(ACTIVATIONS))
        attributes = Conv2dAttributes(stride=stride, padding=padding, activation=activation)
        self.node("conv2d", [x.name, *constants], attributes, self.spread(scale))

    def depthwise(self) -> None:
        x = self.pick()
        kernel, stride, padding = self.window(x)
        out = x.shape[3] * int(self.rng.integers(1, 3))
        constants, scale = self.weights((1, *kernel, out), out, kernel[0] * kernel[1], x)
        attributes = attributes_of("depthwise_conv2d", stride=stride, padding=padding)
        self.node("depthwise_conv2d", [x.name, *constants], attributes, self.spread(scale))

    def sum_of_two(self) -> None:
        """A skip: with another tensor of that shape, with itself, or with a channel of constants."""
        x = self.pick()
        others = [name for name in self.images if self.tensors[name].shape == x.shape]
        other = str(self.rng.choice(others))
        if not self.rng.integers(3):
            data = self.rng.integers(-128, 128, (x.shape[3],), dtype=np.int8)
            other = self.constant(data, self.quantization())
        self.node(str(self.rng.choice(["add", "sub", "mul"])), [x.name, other])

    def larger(self) -> None:
        """The larger of two tensors, brought to one scale first."""
        x = self.pick()
        others = [name for name in self.images if self.tensors[name].shape == x.shape]
        other = self.requantized(str(self.rng.choice(others)), x)
        self.node(str(self.rng.choice(["maximum", "minimum"])), [x.name, other], None, x.quantization)

    def curve(self) -> None:
        op = str(self.rng.choice(["relu", "relu6", "hard_swish", "leaky_relu", "logistic", "tanh"]))
        fixed = {"logistic": Quantization((1 / 256,), (-128,)), "tanh": Quantization((1 / 128,), (0,))}
        self.node(op, [self.pick().name], None, fixed.get(op))

    def pool(self) -> None:
        x = self.pick()
        kernel, stride, padding = self.window(x)
        op = str(self.rng.choice(["average_pool2d", "max_pool2d"]))
        self.node(op, [x.name], PoolAttributes(size=kernel, stride=stride, padding=padding), x.quantization)

    def concatenation(self) -> None:
        """Along the channels, of tensors that are brought to one scale first."""
        x = self.pick()
        near = [n for n in self.images if self.tensors[n].shape[:3] == x.shape[:3]]
        names = [str(name) for name in self.rng.choice(near, int(self.rng.integers(2, 4)))]
        parts = [
            n if self.tensors[n].quantization == x.quantization else self.requantized(n, x) for n in names
        ]
        self.node("concatenation", parts, attributes_of("concatenation", axis=3), x.quantization)

    def requantized(self, name: str, like: Tensor) -> str:
        return self.node("quantize", [name], None, like.quantization).name

    def rescale(self) -> None:
        self.node("quantize", [self.pick().name])

    def pad(self) -> None:
        x = self.pick()
        amounts = self.rng.integers(0, 2, (4, 2)).astype(np.int32)
        amounts[[0, 3]] = 0
        self.node("pad", [x.name, self.constant(amounts)], None, x.quantization)

    def reshape(self) -> None:
        """Swaps height and width without moving anything."""
        x = self.pick()
        shape = (1, x.shape[2], x.shape[1], x.shape[3])
        self.node("reshape", [x.name], ReshapeAttributes(shape=shape), x.quantization)

    def transpose(self) -> None:
        """Any order of height, width and channels."""
        x = self.pick()
        order = np.array([0, *(1 + self.rng.permutation(3))], dtype=np.int32)
        self.node("transpose", [x.name, self.constant(order)], None, x.quantization)

    def slice(self) -> None:
        """A part of the rows and columns."""
        x = self.pick()
        begin = np.array([0, *(int(self.rng.integers(size)) for size in x.shape[1:3]), 0], dtype=np.int32)
        size = np.array(x.shape, dtype=np.int32) - begin
        self.node("slice", [x.name, self.constant(begin), self.constant(size)], None, x.quantization)

    def head(self) -> None:
        """Mean over the image, dense, softmax."""
        x = self.pick()
        axes = self.constant(np.array([1, 2], dtype=np.int32))
        pooled = self.node("mean", [x.name, axes], attributes_of("mean", keep_dims=False))
        out = int(self.rng.integers(2, 7))
        constants, scale = self.weights((out, pooled.shape[1]), out, pooled.shape[1], pooled)
        dense = self.node("fully_connected", [pooled.name, *constants], None, self.spread(scale))
        self.node("softmax", [dense.name], None, Quantization((1 / 256,), (-128,)))

    def graph(self) -> Graph:
        read = {name for node in self.nodes for name in node.inputs}
        outputs = [node.outputs[0] for node in self.nodes if node.outputs[0] not in read]
        inner = [node.outputs[0] for node in self.nodes if node.outputs[0] in read]
        if inner and not self.rng.integers(3):
            outputs.append(str(self.rng.choice(inner)))
        return Graph.build(
            name="random",
            tensors=self.tensors.values(),
            nodes=self.nodes,
            inputs=self.inputs,
            outputs=outputs,
        )
