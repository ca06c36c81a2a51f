"""The training loop: that it learns, repeats itself exactly, reports, and stops at nonsense."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.errors import ModelError
from edgegen.frontend import Epoch, Step, evaluate, fit, nn
from edgegen.frontend.data import ArrayDataset, DataLoader
from edgegen.frontend.optim import SGD, Adam


def blobs(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Three well-separated clusters in the plane."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, 90)
    centres = np.array([[3, 0], [-3, 0], [0, 4]])
    return (centres[labels] + rng.standard_normal((90, 2))).astype(np.float32), labels


def network(seed: int = 0) -> nn.Sequential:
    rng = np.random.default_rng(seed)
    return nn.Sequential(
        nn.Linear(2, 16, rng=rng),
        nn.BatchNorm2d(16),
        nn.ReLU(),
        nn.Dropout(0.1, rng=rng),
        nn.Linear(16, 3, rng=rng),
    )


def trained(seed: int = 0, **options) -> tuple[nn.Module, tuple[Epoch, ...]]:
    model = network(seed)
    loader = DataLoader(ArrayDataset(*blobs()), batch_size=30, shuffle=np.random.default_rng(seed))
    history = fit(model, loader, SGD(model.parameters(), lr=0.1, momentum=0.9), epochs=10, **options)
    return model, history


def test_it_learns_and_leaves_the_model_in_eval() -> None:
    model, history = trained()
    assert history[-1].loss < history[0].loss / 3
    assert not model.training
    result = evaluate(model, *blobs(1), batch_size=7)
    assert result.accuracy > 0.9 and result.count == 90


def test_the_same_seed_gives_the_same_weights() -> None:
    first, second = trained(3)[0].state_dict(), trained(3)[0].state_dict()
    assert all((first[name] == second[name]).all() for name in first)


def test_callbacks_see_every_step_and_epoch() -> None:
    steps: list[Step] = []
    epochs: list[Epoch] = []
    model = network()
    loader = DataLoader(ArrayDataset(*blobs()), batch_size=30)
    history = fit(
        model,
        loader,
        Adam(model.parameters()),
        epochs=2,
        schedule=lambda progress: 1 - progress,
        validate=lambda: evaluate(model, *blobs(1)),
        on_step=steps.append,
        on_epoch=epochs.append,
    )
    assert [(s.index, s.total, s.epoch) for s in steps] == [(i, 6, i // 3) for i in range(6)]
    assert [s.lr_factor for s in steps] == pytest.approx([1 - i / 6 for i in range(6)])
    assert tuple(epochs) == history
    assert history[0].loss == pytest.approx(np.mean([s.loss for s in steps[:3]]))
    assert history[1].validation is not None and history[1].validation.count == 90


def test_evaluation_does_not_depend_on_the_batch_size_and_restores_the_mode() -> None:
    model, _ = trained()
    model.train()
    next(model.children())[1].eval()
    results = [evaluate(model, *blobs(1), batch_size=size) for size in (1, 7, 90, 1000)]
    assert [m.training for _, m in model.named_modules()] == [True, False, True, True, True, True]
    assert len({r.accuracy for r in results}) == 1
    assert [r.loss for r in results] == pytest.approx([results[0].loss] * 4, rel=1e-5)


def test_a_loss_that_is_no_number_stops_training() -> None:
    x, y = blobs()
    x[0, 0] = np.nan
    model = nn.Linear(2, 3, rng=np.random.default_rng(0))
    with pytest.raises(ModelError, match="the loss became nan in step 0; lower the learning rate"):
        fit(model, DataLoader(ArrayDataset(x, y), batch_size=90), SGD(model.parameters(), lr=0.1), epochs=1)


def test_nothing_to_train_on_or_to_evaluate() -> None:
    model = network()
    loader = DataLoader(ArrayDataset(*blobs()), batch_size=100, drop_last=True)
    with pytest.raises(ModelError, match="nothing to train on: 3 epochs of 0 batches"):
        fit(model, loader, SGD(model.parameters(), lr=0.1), epochs=3)
    with pytest.raises(ModelError, match="at least one, got 0 and 0"):
        evaluate(model, np.zeros((0, 2)), np.zeros(0, int))
