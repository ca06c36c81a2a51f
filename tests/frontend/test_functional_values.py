"""What the functions compute, against definitions written as loops."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from edgegen.errors import ModelError
from edgegen.frontend import Tensor
from edgegen.frontend import functional as F  # noqa: N812

FEW = settings(max_examples=30, deadline=None)
sides = st.tuples(st.integers(0, 2), st.integers(0, 2))


def naive_conv2d(x, w, stride, dilation, padding, groups) -> np.ndarray:
    """By the definition of a correlation, one output pixel at a time."""
    (top, bottom), (left, right) = padding
    x = np.pad(x, ((0, 0), (top, bottom), (left, right), (0, 0)))
    outputs, kh, kw, depth = w.shape
    rows = (x.shape[1] - (kh - 1) * dilation[0] - 1) // stride[0] + 1
    columns = (x.shape[2] - (kw - 1) * dilation[1] - 1) // stride[1] + 1
    y = np.zeros((len(x), rows, columns, outputs))
    for n, i, j, o in np.ndindex(y.shape):
        first = o // (outputs // groups) * depth
        for a, b, c in np.ndindex(kh, kw, depth):
            pixel = x[n, i * stride[0] + a * dilation[0], j * stride[1] + b * dilation[1], first + c]
            y[n, i, j, o] += pixel * w[o, a, b, c]
    return y


@FEW
@given(
    seed=st.integers(0, 2**32 - 1),
    image=st.tuples(st.integers(2, 6), st.integers(2, 6)),
    size=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    stride=st.tuples(st.integers(1, 3), st.integers(1, 3)),
    dilation=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    padding=st.tuples(sides, sides),
    groups=st.integers(1, 3),
    channels=st.integers(1, 2),
    outputs=st.integers(1, 2),
)
def test_conv2d(seed, image, size, stride, dilation, padding, groups, channels, outputs) -> None:
    fits = [i + sum(p) >= (k - 1) * d + 1 for i, p, k, d in zip(image, padding, size, dilation, strict=True)]
    assume(all(fits))
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2, *image, channels * groups))
    w = rng.standard_normal((outputs * groups, *size, channels))
    y = F.conv2d(Tensor(x), Tensor(w), stride=stride, dilation=dilation, padding=padding, groups=groups)
    np.testing.assert_allclose(y.data, naive_conv2d(x, w, stride, dilation, padding, groups), atol=1e-12)


# (input, size, stride, dilation) -> (before, after), by hand from the definition of TensorFlow: output is
# ceil(input / stride), total is max((output - 1) * stride + extent - input, 0), half of it comes before.
SAME = [
    ((5, 3, 1, 1), (1, 1)),
    ((5, 2, 1, 1), (0, 1)),
    ((28, 5, 2, 1), (1, 2)),
    ((14, 3, 2, 1), (0, 1)),
    ((7, 3, 2, 1), (1, 1)),
    ((6, 3, 1, 2), (2, 2)),
    ((6, 1, 2, 1), (0, 0)),
    ((4, 2, 3, 1), (0, 1)),
]


@pytest.mark.parametrize(("case", "expected"), SAME)
def test_same_padding_puts_the_odd_pixel_at_the_end(case, expected) -> None:
    image, size, stride, dilation = case
    x = Tensor(np.zeros((1, image, image, 1)), requires_grad=True)
    y = F.conv2d(x, Tensor(np.zeros((1, size, size, 1))), stride=stride, dilation=dilation, padding="same")
    assert y.shape[1] == -(-image // stride)
    assert y.record is not None
    assert y.record.attrs["padding"] == (expected, expected)


def test_max_pool_never_lets_padding_win() -> None:
    y = F.max_pool2d(Tensor(np.full((1, 2, 2, 1), -3.0)), 3, stride=1, padding="same")
    assert (y.data == -3).all()


def test_avg_pool_counts_real_pixels_only() -> None:
    x = np.arange(9.0).reshape(1, 3, 3, 1)
    y = F.avg_pool2d(Tensor(x), 2, stride=2, padding="same").data[0, :, :, 0]
    assert y.tolist() == [[2, 3.5], [6.5, 8]]


def test_float32_stays_float32_throughout() -> None:
    x = Tensor(np.ones((2, 4, 4, 2), np.float32))
    w = Tensor(np.ones((2, 3, 3, 1), np.float32))
    ones = Tensor(np.ones(2, np.float32))
    y = F.conv2d(x, w, ones, padding="same", groups=2)
    y = F.batch_norm(y, ones, ones, ones, ones)
    y = F.avg_pool2d(F.max_pool2d(y, 2, stride=1), 2)
    y = F.softmax(F.sigmoid(F.tanh(y * 0.5 + 1)).mean((1, 2)))
    assert y.dtype == np.float32
    assert F.cross_entropy(y.detach(), [0, 1], label_smoothing=0.1).dtype == np.float32


def test_softmax_of_large_values_does_not_overflow() -> None:
    assert F.softmax(Tensor([[1000.0, 1000, -1000]])).tolist() == [[0.5, 0.5, 0]]
    assert F.sigmoid(Tensor([-1000.0, 0, 1000])).tolist() == [0, 0.5, 1]


def test_cross_entropy_of_a_known_case() -> None:
    logits = Tensor(np.log([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]))
    assert F.cross_entropy(logits, [0, 2]).item() == pytest.approx(-(np.log(0.5) + np.log(0.8)) / 2)


def test_batch_norm_in_both_forms() -> None:
    x = np.random.default_rng(0).standard_normal((4, 3, 3, 2)) * 3 + 1
    gamma, beta = Tensor(np.array([2.0, 0.5])), Tensor(np.array([1.0, -1]))
    y, mean, var = F.batch_norm_training(Tensor(x), gamma, beta, epsilon=1e-3)
    np.testing.assert_allclose(mean, x.mean((0, 1, 2)))
    np.testing.assert_allclose(var, x.var((0, 1, 2)))
    expected = (x - mean) / np.sqrt(var + 1e-3) * gamma.data + beta.data
    np.testing.assert_allclose(y.data, expected, atol=1e-12)
    shipped = F.batch_norm(Tensor(x), gamma, beta, Tensor(mean), Tensor(var), epsilon=1e-3)
    np.testing.assert_allclose(shipped.data, expected, atol=1e-12)


def test_dropout_keeps_the_mean_and_draws_from_the_generator() -> None:
    x = Tensor(np.ones(100_000, np.float32))
    first = F.dropout(x, 0.25, rng=np.random.default_rng(1)).data
    again = F.dropout(x, 0.25, rng=np.random.default_rng(1)).data
    assert (first == again).all()
    assert first.mean() == pytest.approx(1, abs=0.01)
    assert set(np.unique(first)) == {np.float32(0), np.float32(4 / 3)}


def ones(*shape: int) -> Tensor:
    return Tensor(np.ones(shape, np.float32))


REFUSED = {
    r"conv2d: weight takes \(out, kh, kw, in / groups\), got the shape \(3, 3\)": lambda: F.conv2d(
        ones(1, 4, 4, 1), ones(3, 3)
    ),
    r"conv2d: weight .* takes the shape \(8, 3, 3, 3\), got \(8, 3, 3, 1\)": lambda: F.conv2d(
        ones(1, 4, 4, 3), ones(8, 3, 3, 1)
    ),
    "3 channels and 4 outputs do not split in 2 groups": lambda: F.conv2d(
        ones(1, 4, 4, 3), ones(4, 1, 1, 1), groups=2
    ),
    r"window of \(5, 5\) does not fit the image \(4, 4\)": lambda: F.conv2d(
        ones(1, 4, 4, 1), ones(1, 5, 5, 1)
    ),
    "padding takes 'same', 'valid' or": lambda: F.conv2d(ones(1, 4, 4, 1), ones(1, 1, 1, 1), padding="full"),
    "stride takes a positive number": lambda: F.max_pool2d(ones(1, 4, 4, 1), 2, stride=0),
    "without a real pixel": lambda: F.max_pool2d(ones(1, 4, 4, 1), 2, padding=((2, 0), (0, 0))),
    "takes floats of one type, got uint8": lambda: F.relu(Tensor(np.ones(3, np.uint8))),
    "got float32, float64": lambda: ones(2) + Tensor(np.ones(2)),
    r"add: shapes \(2,\) and \(3,\) do not broadcast": lambda: ones(2) + ones(3),
    "do not fill the shape": lambda: ones(2, 3).reshape(4, -1),
    r"input takes \(..., 3\)": lambda: F.linear(ones(1, 2), ones(4, 3)),
    "labels go from 0 to 2, got 0 to 3": lambda: F.cross_entropy(ones(2, 3), [0, 3]),
    "got the output of softmax": lambda: F.cross_entropy(
        F.softmax(Tensor(np.ones((1, 3)), requires_grad=True)), [0]
    ),
    "index 2 is outside axis 0": lambda: ones(2)[2],
    "does not exist": lambda: ones(2).sum(1),
    "differ in an axis other than 0": lambda: F.concat([ones(1, 2), ones(1, 3)], 0),
}


@pytest.mark.parametrize("message", REFUSED)
def test_misuse_is_refused_with_the_line(message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        REFUSED[message]()
    assert "test_functional_values.py:" in str(caught.value)
