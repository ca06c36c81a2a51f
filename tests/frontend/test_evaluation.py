"""Evaluation: whatever the batches, and the model is left as it was."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.errors import ModelError
from edgegen.frontend import evaluate, functional, nn


def samples() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return rng.standard_normal((90, 2)).astype(np.float32), rng.integers(0, 3, 90)


def network() -> nn.Sequential:
    rng = np.random.default_rng(0)
    return nn.Sequential(
        nn.Linear(2, 16, rng=rng),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Dropout(0.5, rng=rng),
        nn.Linear(16, 3, rng=rng),
    )


def test_it_does_not_depend_on_the_batch_size_and_restores_the_mode() -> None:
    model = network().train()
    next(model.children())[1].eval()
    results = [evaluate(model, *samples(), batch_size=size) for size in (1, 7, 90, 1000)]
    assert [m.training for _, m in model.named_modules()] == [True, False, True, True, True, True]
    assert len({r.accuracy for r in results}) == 1
    assert [r.loss for r in results] == pytest.approx([results[0].loss] * 4, rel=1e-5)


def test_loss_and_accuracy() -> None:
    model, (inputs, labels) = network(), samples()
    scores = model.eval()(inputs)
    result = evaluate(model, inputs, labels)
    assert result.loss == pytest.approx(functional.cross_entropy(scores, labels).item())
    assert result.accuracy == np.mean(scores.data.argmax(1) == labels) and result.count == 90
    without = evaluate(model, inputs, labels, loss=None)
    assert np.isnan(without.loss) and without.accuracy == result.accuracy
    turned = evaluate(model, inputs, labels, forward=lambda x: -model(x), loss=None)
    assert turned.accuracy == np.mean(scores.data.argmin(1) == labels)


def test_nothing_to_evaluate() -> None:
    with pytest.raises(ModelError, match="at least one, got 0 and 0"):
        evaluate(network(), np.zeros((0, 2)), np.zeros(0, int))
    with pytest.raises(ModelError, match="got 1 and 2"):
        evaluate(network(), np.zeros((2, 2)), np.zeros(1, int))
