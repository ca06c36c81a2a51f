"""Removing constant channels changes no output, whatever the input."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgegen.codegen.graph import DType, Graph, Node, Quantization, Tensor
from edgegen.codegen.ops.common import Padding
from edgegen.codegen.ops.conv2d import Conv2dAttributes
from edgegen.codegen.passes.constant_channels import RemoveConstantChannels, find
from edgegen.codegen.reference import run


def conv_chain(rng: np.random.Generator, channels: list[int], *, padding: int, spread: int) -> Graph:
    """Convolutions whose biases drive part of their channels into saturation for every input."""
    scale, tensors, nodes = 0.05, [], []
    size = 8
    tensors.append(activation("t0", (1, size, size, channels[0]), scale))
    for index, (before, after) in enumerate(pairwise(channels)):
        kernel = int(rng.integers(1, 4))
        pad = padding if kernel > 1 else 0
        size = size + 2 * pad - kernel + 1
        shape = (after, kernel, kernel, before)
        weights = rng.integers(-9, 10, shape).astype(np.int8)
        bias = rng.integers(-spread, spread + 1, after).astype(np.int32)
        tensors += [
            constant(
                f"w{index}", weights, tuple(rng.uniform(0.001, 0.02, after).astype(np.float32).tolist()), 0
            ),
            constant(f"b{index}", bias, (1.0,), None),
            activation(
                f"t{index + 1}", (1, size, size, after), scale, zero_point=int(rng.integers(-128, 128))
            ),
        ]
        nodes.append(
            Node(
                name=f"conv{index}",
                op="conv2d",
                inputs=(f"t{index}", f"w{index}", f"b{index}"),
                outputs=(f"t{index + 1}",),
                attributes=Conv2dAttributes(padding=Padding(pad, pad, pad, pad), activation="relu"),
            )
        )
    return Graph.build(
        name="chain", tensors=tensors, nodes=nodes, inputs=["t0"], outputs=[f"t{len(channels) - 1}"]
    )


def activation(name: str, shape: tuple[int, ...], scale: float, *, zero_point: int = 3) -> Tensor:
    return Tensor(name, shape, DType.INT8, Quantization((float(np.float32(scale)),), (zero_point,)))


def constant(name: str, data: np.ndarray, scales: tuple[float, ...], axis: int | None) -> Tensor:
    quantization = Quantization(scales, (0,) * len(scales), axis)
    return Tensor(name, data.shape, DType(data.dtype.name), quantization, data)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    padding=st.integers(0, 1),
    spread=st.sampled_from([10, 3000, 10**6, 2**30]),
)
def test_outputs_stay_the_same_bytes(seed: int, padding: int, spread: int) -> None:
    rng = np.random.default_rng(seed)
    graph = conv_chain(rng, [3, 7, 5, 4], padding=padding, spread=spread)
    smaller = RemoveConstantChannels().apply(graph)
    inputs = rng.integers(-128, 128, (16, *graph.tensors["t0"].shape)).astype(np.int8)
    inputs[0], inputs[1] = -128, 127
    expected, got = run(graph, [inputs]), run(smaller, [inputs])
    np.testing.assert_array_equal(expected[0], got[0])


def test_saturated_channels_are_found_and_cut() -> None:
    graph = conv_chain(np.random.default_rng(1), [2, 6, 3], padding=0, spread=5)
    bias = graph.tensors["b0"].data.copy()
    bias[[1, 4]] = 10**9
    tensors = {**graph.tensors, "b0": graph.tensors["b0"].replace(data=bias)}
    graph = graph.replace(tensors=tensors)
    assert np.flatnonzero(find(graph).masks["t1"]).tolist() == [1, 4]
    smaller = RemoveConstantChannels().apply(graph)
    assert smaller.tensors["t1"].shape[-1] == 4
    assert smaller.node_inputs(smaller.nodes[1])[1].shape[-1] == 4


@pytest.mark.parametrize(("value", "removed"), [("zero_point", True), ("other", False)])
def test_a_padded_convolution_absorbs_only_the_padding_value(value: str, removed: bool) -> None:
    graph = conv_chain(np.random.default_rng(2), [2, 3, 2], padding=1, spread=5)
    padded = Conv2dAttributes(padding=Padding(1, 1, 1, 1))
    weights = np.ones((2, 3, 3, 3), np.int8)
    nodes = (graph.nodes[0], graph.nodes[1].replace(attributes=padded))
    bias = graph.tensors["b0"].data.copy()
    bias[1] = -(10**9) if value == "zero_point" else 10**9  # ReLU clamps to the zero point, or to 127
    t1 = graph.tensors["t1"].shape
    tensors = {
        **graph.tensors,
        "b0": graph.tensors["b0"].replace(data=bias),
        "w1": constant("w1", weights, (0.01,), None),
        "t2": activation("t2", (1, t1[1], t1[2], 2), 0.05),
    }
    masks = find(graph.replace(tensors=tensors, nodes=nodes)).masks
    assert ("t1" in masks) is removed
