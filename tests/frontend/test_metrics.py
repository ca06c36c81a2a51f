"""Metrics against counting by hand, whatever the batches they come in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.errors import ModelError
from edgegen.frontend.metrics import AUC, F1, MAE, Accuracy, ConfusionMatrix, Metric, Precision, Recall, TopK

SCORES = np.array([[9, 1, 2], [1, 9, 2], [1, 9, 2], [3, 2, 9], [9, 1, 2]], np.float32)
LABELS = np.array([0, 1, 2, 2, 1])  # found: 0, 1, 1, 2, 0


def test_by_hand() -> None:
    assert Accuracy().of(SCORES, LABELS) == 3 / 5
    assert TopK(1).of(SCORES, LABELS) == 3 / 5
    assert TopK(2).of(SCORES, LABELS) == 4 / 5
    assert TopK(3).of(SCORES, LABELS) == 1
    assert ConfusionMatrix(3).of(SCORES, LABELS) == [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert Precision(3).of(SCORES, LABELS) == pytest.approx((1 / 2 + 1 / 2 + 1) / 3)
    assert Recall(3).of(SCORES, LABELS) == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)
    assert F1(3).of(SCORES, LABELS) == pytest.approx((2 / 3 + 1 / 2 + 2 / 3) / 3)
    assert [Precision(3, of_class=i).of(SCORES, LABELS) for i in range(3)] == [0.5, 0.5, 1]
    assert MAE().of(np.array([[1.0, 2], [3, 4]]), np.array([[0.0, 2], [5, 4]])) == pytest.approx(0.75)
    assert AUC().of(np.array([0.1, 0.4, 0.35, 0.8]), np.array([0, 0, 1, 1])) == 0.75


def test_classes_that_never_come() -> None:
    assert Precision(4, of_class=3).of(SCORES, LABELS) == 0
    assert Recall(4, of_class=3).of(SCORES, LABELS) == 0
    assert F1(4, of_class=3).of(SCORES, LABELS) == 0


def test_one_score_a_sample() -> None:
    scores, labels = np.array([[0.9], [0.5], [0.2], [0.7]]), np.array([1, 1, 0, 0])
    for outputs in (scores, scores[:, 0]):
        assert Accuracy(threshold=0.5).of(outputs, labels) == 0.5
        assert ConfusionMatrix(2, threshold=0.5).of(outputs, labels) == [[1, 1], [1, 1]]
        assert Precision(threshold=0.5, of_class=1).of(outputs, labels) == 0.5
        assert AUC().of(outputs, labels) == 0.75
    assert AUC().of(np.hstack([1 - scores, scores]), labels) == 0.75


@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=2, max_size=40))
def test_auc_is_the_share_of_pairs_in_order(samples: list[tuple[int, bool]]) -> None:
    scores, labels = np.array([s for s, _ in samples]), np.array([int(y) for _, y in samples])
    pairs = [(a, b) for a in scores[labels == 1] for b in scores[labels == 0]]
    if not pairs:
        with pytest.raises(ModelError, match="auc: takes samples of both classes"):
            AUC().of(scores, labels)
        return
    wins = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs)
    assert AUC().of(scores, labels) == pytest.approx(wins / len(pairs))


METRICS: list[Callable[[], Metric]] = [
    Accuracy,
    lambda: TopK(2),
    lambda: ConfusionMatrix(3),
    lambda: Precision(3),
    lambda: Recall(3),
    lambda: F1(3, of_class=1),
]


@given(st.integers(0, 2**32), st.integers(1, 30), st.integers(1, 30))
def test_batches_do_not_matter(seed: int, count: int, size: int) -> None:
    rng = np.random.default_rng(seed)
    scores, labels = rng.standard_normal((count, 3)), rng.integers(0, 3, count)
    for make in METRICS:
        metric = make()
        for start in range(0, count, size):
            metric.update(scores[start : start + size], labels[start : start + size])
        assert metric.result() == make().of(scores, labels)
        metric.reset()
        with pytest.raises(ModelError, match="there are no samples"):
            metric.result()


REFUSED: dict[str, Callable[[], object]] = {
    r"accuracy: takes \(N, classes\) scores and N class numbers, got \(5,\) and int64 \(5,\)": lambda: (
        Accuracy().of(LABELS, LABELS)
    ),
    r"accuracy: takes \(N,\) or \(N, 1\) scores": lambda: Accuracy(threshold=0).of(SCORES, LABELS),
    r"got \(5, 3\) and float32 \(5, 3\)": lambda: Accuracy().of(SCORES, SCORES),
    "top0|k takes a positive number": lambda: TopK(0),
    "confusion_matrix: classes go from 0 to 1, got 0 to 2": lambda: ConfusionMatrix(2).of(SCORES, LABELS),
    "takes two classes or more": lambda: ConfusionMatrix(1),
    "f1: of_class goes from 0 to 1, got 2": lambda: F1(of_class=2),
    r"mae: takes outputs and targets of one shape, got \(5, 3\) and \(5,\)": lambda: MAE().of(SCORES, LABELS),
    r"auc: takes \(N,\), \(N, 1\) or \(N, 2\) scores": lambda: AUC().of(SCORES, LABELS),
    "N labels of 0 or 1, got": lambda: AUC().of(SCORES[:, 0], LABELS),
    "auc: there are no samples": lambda: AUC().of(SCORES[:0, 0], LABELS[:0]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_misuse(message: str) -> None:
    with pytest.raises(ModelError, match=message):
        REFUSED[message]()
