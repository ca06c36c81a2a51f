"""Drawn layers that read one input side by side, or one after the other, to prove kernels of targets."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from edgegen.codegen.build import BuildOptions, build
from edgegen.codegen.export.tflite import write_tflite
from edgegen.codegen.graph import Attributes, DType, Graph, Node, Quantization, Tensor
from edgegen.codegen.ops.common import Padding, same_padding, window_count
from edgegen.codegen.ops.conv2d import Conv2dAttributes
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dAttributes
from edgegen.codegen.ops.fully_connected import FullyConnectedAttributes
from edgegen.codegen.ops.pools import PoolAttributes
from edgegen.codegen.ops.sums import SumAttributes
from edgegen.codegen.source import QuantizedSource
from edgegen.codegen.verify import VerifySettings, verify
from edgegen.targets import load_target

LAYERS = 10


class Builder:
    """A graph of layers side by side."""

    def __init__(self, seed: int, *, sizes: tuple[int, int] = (4, 9)) -> None:
        self.rng = np.random.default_rng(seed)
        self.extreme = True  # also what no short requantisation and no packed kernel takes
        self.channels = int(self.rng.choice([1, 3, 4, 5, 8, 16, 24]))
        self.size = (int(self.rng.integers(*sizes)), int(self.rng.integers(*sizes)))
        self.tensors: list[Tensor] = []
        self.nodes: list[Node] = []
        self.outputs: list[str] = []
        self.x = self.activation("x", (1, *self.size, self.channels))

    def activation(
        self, name: str, shape: tuple[int, ...], scale: float | None = None, zero: int | None = None
    ) -> Tensor:
        rng = self.rng
        chosen = float(np.float32(2.0 ** rng.uniform(-6, -3) if scale is None else scale))
        point = int(rng.choice([-128, 127, int(rng.integers(-128, 128))])) if zero is None else zero
        tensor = Tensor(name, shape, DType.INT8, Quantization((chosen,), (point,)))
        self.tensors.append(tensor)
        return tensor

    def constant(self, name: str, data: np.ndarray, scales: np.ndarray, axis: int | None) -> Tensor:
        q = Quantization(tuple(scales.astype(np.float32).astype(float).tolist()), (0,) * len(scales), axis)
        tensor = Tensor(name, data.shape, DType(data.dtype.name), q, data)
        self.tensors.append(tensor)
        return tensor

    def weights(self, shape: tuple[int, ...], outputs: int, axis: int, label: str) -> tuple[str, str]:
        """Weights and bias; sometimes extreme, so that a fallback is needed."""
        rng = self.rng
        low = -128 if rng.integers(4) == 0 and self.extreme else -127
        w = rng.integers(low, 128, shape).astype(np.int8)
        if rng.integers(3) == 0:
            w[...] = rng.choice([-127, 127])
        spread = int(rng.choice([100, 10_000, 2**30 if self.extreme else 1000]))
        bias = rng.integers(-spread, spread + 1, outputs).astype(np.int32)
        scales = np.exp2(
            rng.uniform(*((-14, -8) if rng.integers(3) or not self.extreme else (-26, 0)), outputs)
        )
        x_scale = self.x.quantization.scale
        return (
            self.constant(f"{label}/w", w, scales, axis).name,
            self.constant(f"{label}/b", bias, x_scale * scales, 0).name,
        )

    def add(
        self,
        op: str,
        inputs: tuple[str, ...],
        shape: tuple[int, ...],
        attributes: Attributes,
        *,
        like_input: bool = False,
    ) -> None:
        name = f"y{len(self.nodes)}"
        q = self.x.quantization
        y = (
            self.activation(name, shape, q.scale, q.zero_point)
            if like_input
            else self.activation(name, shape)
        )
        self.nodes.append(Node(f"{op}{len(self.nodes)}", op, inputs, (y.name,), attributes))
        self.outputs.append(name)

    def window(self) -> tuple[tuple[int, int], tuple[int, int], Padding, tuple[int, int]]:
        rng = self.rng
        kernel = tuple(int(k) for k in rng.choice([1, 2, 3, 3, 4], 2))
        stride = tuple(int(s) for s in rng.choice([1, 1, 2, 3], 2))
        pairs = [(0, 0), (0, 0)]
        if rng.integers(2):
            pairs = [same_padding(n, k, s) for n, k, s in zip(self.size, kernel, stride, strict=True)]
        out = tuple(
            window_count(n, pad, k, s) for n, pad, k, s in zip(self.size, pairs, kernel, stride, strict=True)
        )
        return kernel, stride, Padding(*pairs[0], *pairs[1]), out

    def conv2d(self) -> None:
        kernel, stride, padding, out = self.window()
        channels = int(self.rng.choice([1, 2, 4, 6, 7, 8, 12]))
        label = f"conv{len(self.nodes)}"
        w, b = self.weights((channels, *kernel, self.channels), channels, 0, label)
        attributes = Conv2dAttributes(stride=stride, padding=padding, activation=self.activation_name())
        self.add("conv2d", (self.x.name, w, b), (1, *out, channels), attributes)

    def depthwise_conv2d(self) -> None:
        self.depthwise(*self.window())

    def depthwise_3x3(self) -> None:
        """Windows of the plane kernel, and of the one for rows where they are three columns apart."""
        strides = (int(self.rng.choice([1, 1, 2, 3, 4])), int(self.rng.choice([1, 1, 1, 2, 2, 2, 3])))
        pairs = [same_padding(n, 3, s) for n, s in zip(self.size, strides, strict=True)]
        if min(self.size) >= 3 and self.rng.integers(2):
            pairs = [(0, 0), (0, 0)]
        out = tuple(window_count(n, pad, 3, s) for n, pad, s in zip(self.size, pairs, strides, strict=True))
        self.depthwise((3, 3), strides, Padding(*pairs[0], *pairs[1]), out)

    def multiplied(self) -> Graph:
        """Depthwise layers whose input channels have several filters each."""
        for _ in range(LAYERS // 2):
            self.depthwise(*self.window(), multiplier=int(self.rng.integers(2, 4)))
            self.depthwise((3, 3), (1, 1), Padding(1, 1, 1, 1), self.size, multiplier=2)
        return self.finished()

    def depthwise(
        self,
        kernel: tuple[int, int],
        stride: tuple[int, int],
        padding: Padding,
        out: tuple[int, ...],
        multiplier: int | None = None,
    ) -> None:
        label = f"dw{len(self.nodes)}"
        if multiplier is None:
            multiplier = int(self.rng.choice([1, 2, 5])) if self.channels == 1 else 1
        channels = self.channels * multiplier
        w, b = self.weights((1, *kernel, channels), channels, 3, label)
        attributes = DepthwiseConv2dAttributes(
            stride=stride, padding=padding, activation=self.activation_name()
        )
        self.add("depthwise_conv2d", (self.x.name, w, b), (1, *out, channels), attributes)

    def fully_connected(self) -> None:
        features = self.x.size
        outputs = int(self.rng.integers(1, 12))
        w, b = self.weights((outputs, features), outputs, 0, f"fc{len(self.nodes)}")
        attributes = FullyConnectedAttributes(activation=self.activation_name())
        self.add("fully_connected", ("x", w, b), (1, outputs), attributes)

    def sum(self) -> None:
        other = self.activation(f"other{len(self.nodes)}", self.x.shape)
        self.other = other.name
        op = str(self.rng.choice(["add", "sub"]))
        operands = ("x", other.name) if self.rng.integers(2) else (other.name, "x")
        self.add(op, operands, self.x.shape, SumAttributes(activation=self.activation_name()))

    def average_pool2d(self) -> None:
        kernel, stride, padding, out = self.window()
        attributes = PoolAttributes(size=kernel, stride=stride, padding=padding)
        self.add("average_pool2d", ("x",), (1, *out, self.channels), attributes, like_input=True)

    def activation_name(self) -> str:
        return str(self.rng.choice(["none", "none", "relu", "relu6"]))

    def step_on(self) -> None:
        """The newest tensor becomes the input of what follows."""
        self.x = self.tensors[-1]
        _, height, width, self.channels = self.x.shape
        self.size = (height, width)

    def residual(self) -> None:
        """A depthwise layer that keeps the shape, and the sum of both sides of it."""
        skipped = self.x
        self.depthwise((3, 3), (1, 1), Padding(1, 1, 1, 1), self.size)
        self.step_on()
        self.add("add", (self.x.name, skipped.name), self.x.shape, SumAttributes())

    def chain(self) -> Graph:
        """Layers one after the other, some with a skip."""
        self.extreme = False
        while min(self.size) >= 5 and len(self.nodes) < 8:
            kinds = [self.conv2d, self.depthwise_3x3, self.residual]
            kinds[int(self.rng.integers(3))]()
            self.step_on()
        self.outputs = self.outputs[-1:]
        return self.finished()

    def winograd(self) -> Graph:
        """3x3 convolutions with stride 1 over whole words of channels."""
        self.extreme = False
        for _ in range(LAYERS):
            pairs = [same_padding(n, 3, 1) for n in self.size]
            if min(self.size) >= 3 and self.rng.integers(2):
                pairs = [(0, 0), (0, 0)]
            out = tuple(window_count(n, pad, 3, 1) for n, pad in zip(self.size, pairs, strict=True))
            channels = int(self.rng.choice([4, 8, 12]))
            label = f"conv{len(self.nodes)}"
            w, b = self.weights((channels, 3, 3, self.channels), channels, 0, label)
            attributes = Conv2dAttributes(
                padding=Padding(*pairs[0], *pairs[1]), activation=self.activation_name()
            )
            self.add("conv2d", (self.x.name, w, b), (1, *out, channels), attributes)
        return self.finished()

    def windows_of_3x3(self) -> Graph:
        for _ in range(2 * LAYERS):
            self.depthwise_3x3()
        return self.finished()

    def graph(self) -> Graph:
        kinds = [self.conv2d, self.conv2d, self.depthwise_conv2d, self.depthwise_conv2d]
        kinds += [self.fully_connected, self.sum, self.average_pool2d]
        for index in range(LAYERS):
            kinds[index % len(kinds)]()
        return self.finished()

    def finished(self) -> Graph:
        inputs = ["x", *(t.name for t in self.tensors if t.name.startswith("other"))]
        return Graph.build(
            name="layers", tensors=self.tensors, nodes=self.nodes, inputs=inputs, outputs=self.outputs
        )


def assert_exact_in_emulation(
    graph: Graph, folder: Path, *, target: str = "cortex-m4", mode: str = "balanced"
) -> Path:
    """Build and verify a graph on a target; the project's folder."""
    source = QuantizedSource(
        name="layers", tflite=write_tflite(graph), described="drawn", file_name="layers.tflite"
    )
    options = BuildOptions(remove_constant_channels=False, mode=mode)
    report = build(source, load_target(target), folder, options=options)
    assert verify(report.folder, VerifySettings(vectors=30)).bytes_compared > 0
    return report.folder
