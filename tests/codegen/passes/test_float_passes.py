"""Float passes: small graphs in, small graphs out, the same function up to rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from edgegen.codegen import passes
from edgegen.codegen.float_run import run_float
from edgegen.codegen.graph import Graph
from edgegen.codegen.ops.common import Padding
from edgegen.codegen.passes.dead_code import RemoveDeadCode, RemoveIdentities
from edgegen.codegen.passes.fold_constants import FoldConstants
from edgegen.codegen.passes.fold_scales import FoldChannelScales
from edgegen.codegen.passes.fuse_activations import FuseActivations
from edgegen.codegen.passes.fuse_padding import FusePadding
from edgegen.frontend import Tensor, nn
from edgegen.frontend import functional as F  # noqa: N812
from edgegen.frontend.freeze import freeze

RNG = np.random.default_rng(3)


def norm(channels: int) -> nn.BatchNorm2d:
    """A normalisation whose statistics are not the initial ones."""
    made = nn.BatchNorm2d(channels)
    rng = np.random.default_rng(channels)
    for array in (made.gamma.data, made.beta.data, made.running_mean.data):
        array[...] = rng.normal(size=array.shape)
    made.running_var.data[...] = rng.uniform(0.5, 2.0, made.running_var.data.shape)
    return made


def frozen(*layers: nn.Module, shape: Sequence[int] = (1, 6, 6, 3)) -> Graph:
    return freeze(nn.Sequential(*layers), RNG.normal(size=shape).astype(np.float32), name="net")


def ops_of(graph: Graph) -> list[str]:
    return [node.op for node in graph.nodes]


def assert_same_function(before: Graph, after: Graph) -> None:
    x = RNG.normal(size=(5, *before.input_tensors()[0].shape)).astype(np.float32)
    expected = run_float(before, [x])[before.outputs[0]]
    got = run_float(after, [x])[after.outputs[0]]
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("groups", [1, 3])
def test_batch_norm_folds_into_the_convolution_before_it(groups: int) -> None:
    conv = nn.Conv2d(3, 6, 3, padding="same", groups=groups, rng=RNG)
    graph = frozen(conv, norm(6))
    folded = passes.run(graph, [FoldChannelScales()])
    assert ops_of(folded) == ["conv2d" if groups == 1 else "depthwise_conv2d"]
    assert_same_function(graph, folded)


def test_batch_norm_does_not_fold_into_a_padded_convolution_after_it() -> None:
    graph = frozen(norm(3), nn.Conv2d(3, 4, 3, padding="same", rng=RNG))
    folded = passes.run(graph, [FoldChannelScales()])
    assert ops_of(folded) == ["depthwise_conv2d", "conv2d"]
    assert_same_function(graph, folded)


def test_batch_norm_stays_behind_an_activation() -> None:
    graph = frozen(nn.Conv2d(3, 4, 1, rng=RNG), nn.ReLU(), norm(4))
    assert ops_of(passes.run(graph, [FuseActivations(), FoldChannelScales()])) == [
        "conv2d",
        "depthwise_conv2d",
    ]


def test_activations_fuse_and_a_second_reader_forbids_it() -> None:
    graph = frozen(nn.Conv2d(3, 4, 1, rng=RNG), nn.ReLU6())
    fused = passes.run(graph, [FuseActivations()])
    assert ops_of(fused) == ["conv2d"]
    assert fused.nodes[0].attributes.activation == "relu6"
    assert_same_function(graph, fused)
    watched = graph.replace(outputs=(*graph.outputs, graph.nodes[0].outputs[0]))
    assert ops_of(passes.run(watched, [FuseActivations()])) == ["conv2d", "relu6"]


class Padded(nn.Module):
    def __init__(self) -> None:
        self.conv = nn.Conv2d(3, 4, 3, rng=RNG)

    def forward(self, x: Tensor) -> Tensor:
        return self.conv(F.pad(x, ((0, 0), (1, 2), (0, 1), (0, 0))))


def test_padding_fuses_into_the_convolution() -> None:
    graph = freeze(Padded(), RNG.normal(size=(1, 6, 6, 3)).astype(np.float32), name="net")
    fused = passes.run(graph, [FusePadding()])
    assert ops_of(fused) == ["conv2d"]
    assert fused.nodes[0].attributes.padding == Padding(top=1, bottom=2, left=0, right=1)
    assert_same_function(graph, fused)


class Wasteful(nn.Module):
    """Computes from constants, and reshapes to the shape that is there."""

    def __init__(self) -> None:
        self.offset = nn.Parameter(np.ones((1, 4), np.float32)) if hasattr(nn, "Parameter") else None
        self.linear = nn.Linear(4, 4, rng=RNG)

    def forward(self, x: Tensor) -> Tensor:
        two = Tensor(np.full((1, 4), 2.0, np.float32))
        return F.reshape(self.linear(x), (1, 4)) + (two + two)


def test_constants_fold_and_identities_go() -> None:
    graph = freeze(Wasteful(), RNG.normal(size=(1, 4)).astype(np.float32), name="net")
    assert sorted(ops_of(graph)) == ["add", "add", "fully_connected", "reshape"]
    lean = passes.run(graph, [RemoveDeadCode(), FoldConstants(), RemoveIdentities()])
    assert ops_of(lean) == ["fully_connected", "add"]
    assert_same_function(graph, lean)


def test_dead_nodes_go() -> None:
    graph = frozen(nn.Conv2d(3, 4, 1, rng=RNG), nn.ReLU())
    cut = graph.replace(outputs=(graph.nodes[0].outputs[0],))
    assert ops_of(passes.run(cut, [RemoveDeadCode()])) == ["conv2d"]
