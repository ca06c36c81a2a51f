"""Freezing: static graphs, and what cannot become one is refused by its line."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.codegen.float_run import run_float
from edgegen.errors import ModelError
from edgegen.frontend import Tensor, nn, no_grad
from edgegen.frontend import functional as F  # noqa: N812
from edgegen.frontend.freeze import freeze

RNG = np.random.default_rng(5)
SAMPLE = RNG.normal(size=(1, 8, 8, 4)).astype(np.float32)


class Net(nn.Module):
    def __init__(self) -> None:
        self.stem = nn.Conv2d(4, 6, 3, stride=2, padding="same", rng=RNG)
        self.depth = nn.Conv2d(6, 6, 3, padding="same", groups=6, rng=RNG)
        self.norm = nn.BatchNorm2d(6)
        self.pool = nn.AvgPool2d(2)
        self.flatten = nn.Flatten()
        self.head = nn.Linear(24, 3, rng=RNG)
        self.softmax = nn.Softmax()

    def forward(self, x: Tensor) -> Tensor:
        stem = F.relu(self.stem(x))
        return self.softmax(self.head(self.flatten(self.pool(stem + self.norm(self.depth(stem))))))


def test_the_graph_computes_what_the_module_computes() -> None:
    net = Net()
    graph = freeze(net, SAMPLE, name="net")
    x = RNG.normal(size=(7, 8, 8, 4)).astype(np.float32)
    with net.evaluating(), no_grad():
        expected = net(Tensor(x)).numpy()
    got = run_float(graph, [x[:, np.newaxis]])[graph.outputs[0]][:, 0]
    np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-5)


def test_names_and_sources_come_from_the_module() -> None:
    graph = freeze(Net(), SAMPLE, name="net")
    nodes = {node.name: node for node in graph.nodes}
    assert nodes["stem"].op == "conv2d"
    assert nodes["depth"].op == "depthwise_conv2d"
    assert "stem.weight" in graph.tensors
    assert "test_freeze.py:" in nodes["stem"].source
    assert all(tensor.shape[0] == 1 for tensor in (*graph.input_tensors(), *graph.output_tensors()))


class Branching(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        if F.reduce_sum(x) > 0 if hasattr(F, "reduce_sum") else float(x.numpy().sum()) > 0:
            return F.relu(x)
        return x


def test_control_flow_on_data_is_refused_with_its_line() -> None:
    with pytest.raises(ModelError, match=r"test_freeze\.py:\d+"):
        freeze(Branching(), SAMPLE, name="net")


class Peeking(nn.Module):
    """Reads its input behind the tape's back."""

    def forward(self, x: Tensor) -> Tensor:
        return x + Tensor(np.full((1, 8, 8, 4), x.data.mean(), np.float32))


def test_a_constant_computed_from_the_input_is_refused() -> None:
    with pytest.raises(ModelError, match=r"depends on the input|test_freeze\.py"):
        freeze(Peeking(), SAMPLE, name="net")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_numbers_are_refused_by_name(value: float) -> None:
    net = Net()
    net.stem.weight.data[0, 0, 0, 0] = value
    with pytest.raises(ModelError, match=r"stem\.weight.*NaN"):
        freeze(net, SAMPLE, name="net")


class Unsupported(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x) / (F.relu(x) + 1.0) / 3.0


def test_all_unsupported_operations_are_listed_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        freeze(Unsupported(), SAMPLE, name="net")
    assert str(caught.value).count("div at") == 2


def test_a_batch_other_than_one_is_refused() -> None:
    with pytest.raises(ModelError, match="a batch of 1"):
        freeze(Net(), np.concatenate([SAMPLE, SAMPLE]), name="net")
