"""Optimisers against their formulas written out, groups and schedules."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.errors import ModelError
from edgegen.frontend import Parameter
from edgegen.frontend.optim import SGD, Adam, Optimizer, constant, one_cycle

GRADIENTS = [np.array(g) for g in ([1.0, -2], [0.5, 0], [-3, 1])]


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
def test_a_bowl_is_descended(make) -> None:
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
    "a group takes params, lr and weight_decay, got learning_rate, lr, params": lambda: SGD(
        [{"params": [P], "learning_rate": 1}], lr=0.1
    ),
    "no negative number": lambda: SGD([P], lr=-1),
    "momentum takes": lambda: SGD([P], lr=1, momentum=1),
    "betas take": lambda: Adam([P], betas=(0.9, 1)),
}


@pytest.mark.parametrize("message", REFUSED)
def test_misuse(message: str) -> None:
    with pytest.raises(ModelError, match=message):
        REFUSED[message]()


def test_schedules() -> None:
    assert constant(0.7) == 1
    factor = one_cycle(warmup=0.25, start=0.1, end=0.01)
    assert factor(0) == pytest.approx(0.1)
    assert factor(0.125) == pytest.approx(0.55)
    assert factor(0.25) == pytest.approx(1)
    assert factor(1) == pytest.approx(0.01)
    rising = [factor(t) for t in np.linspace(0.25, 1, 50)]
    assert rising == sorted(rising, reverse=True)
