"""Optimisers against their formulas written out, groups, and state that a run resumes from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from edgegen.errors import ModelError
from edgegen.frontend import Parameter
from edgegen.frontend.optim import SGD, Adam, AdamW, Optimizer, RMSprop

GRADIENTS = [np.array(g, np.float64) for g in ([1.0, -2], [0.5, 0], [-3, 1])]


def moved(optimizer: Optimizer, parameter: Parameter) -> list[float]:
    for gradient in GRADIENTS:
        parameter.grad = gradient
        optimizer.step()
    values: list[float] = parameter.tolist()
    return values


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_sgd(momentum: float, nesterov: bool, decay: float) -> None:
    if nesterov and not momentum:
        with pytest.raises(ModelError, match="nesterov needs one"):
            SGD([Parameter([1.0])], lr=0.1, nesterov=True)
        return
    w, v = np.array([1.0, 2]), np.zeros(2)
    p = Parameter(w.copy())
    for g in GRADIENTS:
        g = g + decay * w
        v = momentum * v + g
        w = w - 0.1 * (g + momentum * v if nesterov else v)
    optimizer = SGD([p], lr=0.1, momentum=momentum, nesterov=nesterov, weight_decay=decay)
    np.testing.assert_allclose(moved(optimizer, p), w)


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_adam(decay: float) -> None:
    w, m, v = np.array([1.0, 2]), np.zeros(2), np.zeros(2)
    p = Parameter(w.copy())
    for t, g in enumerate(GRADIENTS, 1):
        g = g + decay * w
        m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g**2
        w = w - 0.1 * (m / (1 - 0.8**t)) / (np.sqrt(v / (1 - 0.9**t)) + 1e-6)
    optimizer = Adam([p], lr=0.1, betas=(0.8, 0.9), epsilon=1e-6, weight_decay=decay)
    np.testing.assert_allclose(moved(optimizer, p), w)


def test_adamw_decays_the_weights_themselves() -> None:
    w, m, v = np.array([1.0, 2]), np.zeros(2), np.zeros(2)
    p = Parameter(w.copy())
    for t, g in enumerate(GRADIENTS, 1):
        m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g**2
        step = (m / (1 - 0.8**t)) / (np.sqrt(v / (1 - 0.9**t)) + 1e-6)
        w = w - 0.1 * 0.3 * w - 0.1 * step
    optimizer = AdamW([p], lr=0.1, betas=(0.8, 0.9), epsilon=1e-6, weight_decay=0.3)
    np.testing.assert_allclose(moved(optimizer, p), w)


@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_rmsprop(momentum: float, decay: float) -> None:
    w, s, v = np.array([1.0, 2]), np.zeros(2), np.zeros(2)
    p = Parameter(w.copy())
    for g in GRADIENTS:
        g = g + decay * w
        s = 0.7 * s + 0.3 * g**2
        v = momentum * v + g / (np.sqrt(s) + 1e-6)
        w = w - 0.1 * v
    optimizer = RMSprop([p], lr=0.1, alpha=0.7, epsilon=1e-6, momentum=momentum, weight_decay=decay)
    np.testing.assert_allclose(moved(optimizer, p), w)


KINDS: dict[str, Callable[[list[Parameter]], Optimizer]] = {
    "sgd": lambda p: SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
    "adam": lambda p: Adam(p, weight_decay=0.1),
    "adamw": lambda p: AdamW(p),
    "rmsprop": lambda p: RMSprop(p, momentum=0.5),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_as_torch(kind: str) -> None:
    torch = pytest.importorskip("torch")
    theirs_kinds = {
        "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1),
        "adam": lambda p: torch.optim.Adam(p, weight_decay=0.1),
        "adamw": lambda p: torch.optim.AdamW(p),
        "rmsprop": lambda p: torch.optim.RMSprop(p, momentum=0.5),
    }
    ours = Parameter(np.array([1.0, 2]))
    values = moved(KINDS[kind]([ours]), ours)
    other = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    optimizer = theirs_kinds[kind]([other])
    for gradient in GRADIENTS:
        other.grad = torch.tensor(gradient)
        optimizer.step()
    np.testing.assert_allclose(values, other.detach().numpy(), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stop", [0, 1, 2, 4])
def test_a_loaded_state_continues_bit_for_bit(kind: str, stop: int) -> None:
    rng = np.random.default_rng(0)
    gradients = rng.standard_normal((5, 2, 3)).astype(np.float32)

    def steps(optimizer: Optimizer, first: int, last: int) -> None:
        for gradient in gradients[first:last]:
            for parameter in optimizer.parameters:
                parameter.grad = gradient
            optimizer.step()

    start = rng.standard_normal((2, 3)).astype(np.float32)
    whole, broken = ([Parameter(start.copy()), Parameter(start + 1)] for _ in range(2))
    steps(KINDS[kind](whole), 0, 5)
    first = KINDS[kind](broken)
    steps(first, 0, stop)
    first.change_group(0, lr=first.groups[0].lr)
    second = KINDS[kind](broken)
    second.load_state_dict(first.state_dict())
    steps(second, stop, 5)
    assert second.steps == 5
    for a, b in zip(whole, broken, strict=True):
        assert a.data.tobytes() == b.data.tobytes()


def test_a_changed_group_is_part_of_the_state() -> None:
    p = Parameter([1.0])
    first, second = SGD([p], lr=0.1), SGD([p], lr=0.1)
    first.change_group(0, lr=0.01, weight_decay=0.5, frozen=True)
    second.load_state_dict(first.state_dict())
    assert second.groups == first.groups
    first.change_group(0, frozen=False)
    assert not first.groups[0].frozen and second.groups[0].frozen


def test_a_state_that_does_not_fit_lists_everything_and_changes_nothing() -> None:
    p = Parameter([1.0, 2])
    optimizer = SGD([p], lr=0.1, momentum=0.9)
    p.grad = np.ones(2, np.float32)
    optimizer.step()
    state = optimizer.state_dict()
    del state["group.0.lr"]
    state |= {"1.velocity": np.ones(2), "0.first": np.ones(2), "0.velocity": np.ones(3, np.float32)}
    before = optimizer.state_dict()
    with pytest.raises(ModelError) as caught:
        optimizer.load_state_dict(state, origin="run.safetensors")
    message = str(caught.value)
    assert message.startswith("run.safetensors: the state does not fit this SGD")
    for part in (
        "missing 'group.0.lr'",
        "surplus '1.velocity': there are 1 parameters",
        "surplus '0.first': this optimiser keeps velocity",
        "'0.velocity' takes float32 (2,), got float32 (3,)",
    ):
        assert part in message
    after = optimizer.state_dict()
    assert before.keys() == after.keys() and all((before[n] == after[n]).all() for n in before)


def test_frozen_groups_stay_and_thaw() -> None:
    a, b = Parameter([1.0]), Parameter([1.0])
    optimizer = SGD([{"params": [a]}, {"params": [b], "frozen": True}], lr=0.1, weight_decay=0.1)
    for frozen, expected in ((True, 1.0), (False, 0.89)):
        optimizer.change_group(1, frozen=frozen)
        b.grad = np.ones(1, np.float32)
        optimizer.step()
        assert b.item() == pytest.approx(expected)
    assert optimizer.parameters == optimizer.moving == (a, b)


def test_groups_have_their_own_rates_and_the_factor_scales_them() -> None:
    a, b, frozen = Parameter([1.0]), Parameter([1.0]), Parameter([1.0], requires_grad=False)
    optimizer = SGD([{"params": [a, frozen]}, {"params": [b], "lr": 0.01}], lr=0.1)
    for p in (a, b, frozen):
        p.grad = np.ones(1, np.float32)
    optimizer.step(lr_factor=0.5)
    np.testing.assert_allclose([a.item(), b.item(), frozen.item()], [0.95, 0.995, 1])
    assert a.dtype == np.float32
    optimizer.zero_grad()
    assert a.grad is None
    optimizer.step()
    np.testing.assert_allclose(a.item(), 0.95)


@pytest.mark.parametrize("make", [lambda p: SGD(p, lr=0.1, momentum=0.9), lambda p: Adam(p, lr=0.3)])
def test_a_bowl_is_descended(make: Callable[[list[Parameter]], Optimizer]) -> None:
    p = Parameter(np.array([3.0, -4]))
    optimizer = make([p])
    for _ in range(300):
        optimizer.zero_grad()
        (p * p).sum().backward()
        optimizer.step()
    assert np.abs(p.data).max() < 1e-3


P = Parameter([1.0])
REFUSED = {
    "at least one": lambda: SGD([], lr=0.1),
    "in two groups": lambda: SGD([P, P], lr=0.1),
    "a group takes params, lr, weight_decay, frozen, got frozen, learning_rate, lr, params": lambda: SGD(
        [{"params": [P], "learning_rate": 1}], lr=0.1
    ),
    "no negative number": lambda: SGD([P], lr=-1),
    "momentum takes": lambda: SGD([P], lr=1, momentum=1),
    "Adam: betas take": lambda: Adam([P], betas=(0.9, 1)),
    "AdamW: betas take": lambda: AdamW([P], betas=(0.9, 1)),
    "alpha and momentum take": lambda: RMSprop([P], alpha=1),
    "1 groups with lr, weight_decay, frozen, got group 1 with lr": lambda: SGD([P], lr=1).change_group(
        1, lr=2
    ),
    "got group 0 with rate": lambda: SGD([P], lr=1).change_group(0, rate=2),
}


@pytest.mark.parametrize("message", REFUSED)
def test_misuse(message: str) -> None:
    with pytest.raises(ModelError, match=message):
        REFUSED[message]()
