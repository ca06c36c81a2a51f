"""Tracing: what is recorded, and what is refused with its line."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from edgegen.errors import ModelError
from edgegen.frontend import Tensor, nn, trace, tracing
from edgegen.frontend import functional as F  # noqa: N812

SAMPLE = np.ones((1, 4), np.float32)


class Calls(nn.Module):
    """A module whose forward is a given function."""

    def __init__(self, function: Callable[[Tensor], object]) -> None:
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)  # type: ignore[return-value]


def branch(x: Tensor) -> Tensor:
    if x.sum() > 0:
        return x * 2
    return x


def equals(x: Tensor) -> Tensor:
    return x * 2 if x.argmax(1) == 0 else x


def loops(x: Tensor) -> Tensor:
    total = x[0]
    for row in x:
        total = total + row
    return total


def counts(x: Tensor) -> Tensor:
    for _ in range(x.argmax(1)[0]):
        x = x + 1
    return x


READS: dict[str, Callable[[Tensor], Tensor]] = {
    "if x.sum() > 0:": branch,
    "return x * 2 if x.argmax(1) == 0 else x": equals,
    "for row in x:": loops,
    "for _ in range(x.argmax(1)[0]):": counts,
    "item": lambda x: x * x.sum().item(),
    "float": lambda x: x * float(x.sum()),
    "int": lambda x: x * int(x.sum()),
    "numpy": lambda x: x * x.numpy().max(),
    "tolist": lambda x: x * x.tolist()[0][0],
    "asarray": lambda x: Tensor(np.asarray(x)) * x,
    "wrap": lambda x: Tensor(x) * x,
    "mean": lambda x: x * np.array(x).mean(),
    "data": lambda x: x * x.data.max(),
    "detach": lambda x: x if x.detach().sum() > 1 else -x,
    "in": lambda x: x if 1 in x else -x,
    "not": lambda x: x if not x.max() else -x,
    "cast": lambda x: x if x.astype(np.int32).astype(np.float32).max() > 0 else -x,
}


@pytest.mark.parametrize("name", READS)
def test_a_read_of_a_traced_value_is_refused_with_its_line(name: str) -> None:
    with pytest.raises(ModelError, match="data-dependent control flow") as caught:
        trace(Calls(READS[name]), SAMPLE)
    message = str(caught.value)
    assert "test_trace.py:" in message and name in message
    assert "decide by shapes or constants" in message


def test_the_same_reads_work_when_not_tracing() -> None:
    x = Tensor([[1.0, 0, 0]])
    for function in READS.values():
        function(x)


def test_parameters_and_shapes_may_be_read_while_tracing() -> None:
    class Scaled(nn.Module):
        def __init__(self) -> None:
            self.linear = nn.Linear(4, 4, rng=np.random.default_rng(0))

        def forward(self, x: Tensor) -> Tensor:
            for _ in range(x.shape[0]):
                x = self.linear(x) if self.linear.weight.data.any() else x
            return x

    assert [r.op for r in trace(Scaled(), SAMPLE).tape] == ["fully_connected"]


def test_the_tracing_context_guards_only_what_comes_from_an_input() -> None:
    x = Tensor([1.0])
    with tracing():
        assert float(x * 2) == 2


def test_a_trace_names_modules_parameters_and_lines() -> None:
    rng = np.random.default_rng(0)
    body = nn.Sequential(nn.Conv2d(2, 2, 3, padding="same", rng=rng), nn.BatchNorm2d(2), nn.ReLU())
    model = nn.Sequential(block=nn.Residual(body), pool=nn.GlobalAvgPool())
    found = trace(model, np.ones((1, 4, 4, 2), np.float32))
    assert [r.op for r in found.tape] == ["conv2d", "batch_norm", "relu", "add", "mean"]
    assert [r.module for r in found.tape] == ["block.body.0", "block.body.1", "block.body.2", "block", "pool"]
    conv, norm = found.tape.records[:2]
    assert conv.inputs[0] is found.inputs[0]
    assert found.name_of(conv.inputs[1]) == "block.body.0.weight"
    assert [found.name_of(t) for t in norm.inputs[1:]] == [
        f"block.body.1.{name}" for name in ("gamma", "beta", "running_mean", "running_var")
    ]
    assert conv.source.file == __file__
    assert "block.body.0.weight" in str(found)


def test_training_is_switched_off_for_the_trace_and_restored() -> None:
    rng = np.random.default_rng(0)
    model = nn.Sequential(nn.Linear(4, 4, rng=rng), nn.Dropout(0.5, rng=rng))
    dict(model.children())["0"].eval()
    assert [r.op for r in trace(model, SAMPLE).tape] == ["fully_connected"]
    assert [m.training for _, m in model.named_modules()] == [True, False, True]


@pytest.mark.parametrize("layer", ["dropout", "batch_norm"])
def test_what_is_forced_into_training_is_refused_by_name(layer: str) -> None:
    class Stubborn(nn.Module):
        def __init__(self) -> None:
            rng = np.random.default_rng(0)
            self.noise = nn.Dropout(0.5, rng=rng) if layer == "dropout" else nn.BatchNorm2d(4)

        def forward(self, x: Tensor) -> Tensor:
            return self.noise.train()(x)

    with pytest.raises(
        ModelError, match=rf"{layer} 'noise': .*cannot be frozen; switch the module to eval\(\)"
    ):
        trace(Stubborn(), SAMPLE)


def fails(x: Tensor) -> Tensor:
    raise KeyError("gain")


class TakesTwo(nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        return x * 2


REFUSED = {
    "raised KeyError .*test_trace.py:.*raise KeyError": (Calls(fails), (SAMPLE,)),
    "output 0 of the model does not depend on its input": (Calls(lambda x: Tensor([1.0]) * 2), (SAMPLE,)),
    "gives tensors, got NoneType": (Calls(lambda x: None), (SAMPLE,)),
    "does not use 'input1'": (TakesTwo(), (SAMPLE, SAMPLE)),
    "raised TypeError": (TakesTwo(), (SAMPLE,)),
    r"fully_connected 'a': input takes": (
        nn.Sequential(a=nn.Linear(5, 2, rng=np.random.default_rng(0))),
        (SAMPLE,),
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_models_that_cannot_be_traced(message: str) -> None:
    model, samples = REFUSED[message]
    with pytest.raises(ModelError, match=message):
        trace(model, *samples)


def test_state_kept_while_tracing_is_refused() -> None:
    class Remembers(nn.Module):
        def __init__(self) -> None:
            self.count = nn.BatchNorm2d(4).running_mean

        def forward(self, x: Tensor) -> Tensor:
            self.count.data = self.count.data + 1
            return x + self.count

    with pytest.raises(ModelError, match=r"state is assigned while tracing, at .*test_trace.py:"):
        trace(Remembers(), SAMPLE)


def test_printing_a_traced_tensor_shows_no_values() -> None:
    shown = []

    def peek(x: Tensor) -> Tensor:
        shown.append(repr(x * 2))
        return F.relu(x)

    trace(Calls(peek), SAMPLE)
    assert shown[0].startswith("Tensor(traced, shape=(1, 4)")
