"""Every gradient against numerical differences, in float64, over drawn shapes and options."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from edgegen.errors import ModelError
from edgegen.frontend import Tensor, gradcheck
from edgegen.frontend import functional as F  # noqa: N812
from edgegen.frontend.arrays.windows import Window, same_padding

seeds = st.integers(0, 2**32 - 1)
small = st.integers(1, 3)
pairs = st.tuples(small, small)
sides = st.tuples(st.integers(0, 2), st.integers(0, 2))
paddings = st.one_of(st.just("same"), st.just("valid"), st.tuples(sides, sides))
FEW = settings(max_examples=40, deadline=None)


def normal(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape)


def apart(seed: int, *shape: int) -> np.ndarray:
    """Distinct values, 0.1 apart and none near zero: no kink within reach of a numerical difference."""
    count = int(np.prod(shape))
    values = (np.arange(count) - count // 2) * 0.1 + 0.05
    return np.random.default_rng(seed).permutation(values).reshape(shape)


@FEW
@given(
    seed=seeds,
    image=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    size=pairs,
    stride=pairs,
    dilation=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    padding=paddings,
    groups=small,
    channels=st.integers(1, 2),
    outputs=st.integers(1, 2),
    bias=st.booleans(),
)
def test_conv2d(
    seed: int, image, size, stride, dilation, padding, groups: int, channels: int, outputs: int, bias: bool
) -> None:
    window = Window(size, stride, dilation, same_padding(image, Window(size, stride, dilation)))
    if padding != "same":
        window = Window(size, stride, dilation, ((0, 0), (0, 0)) if padding == "valid" else padding)
    assume(min(window.output(image)) >= 1)
    x, w = normal(seed, 2, *image, channels * groups), normal(seed + 1, outputs * groups, *size, channels)
    b = [normal(seed + 2, outputs * groups)] if bias else []
    options = {"stride": stride, "dilation": dilation, "padding": padding, "groups": groups}
    gradcheck(lambda *inputs: F.conv2d(*inputs, **options), x, w, *b)


@FEW
@given(
    seed=seeds,
    image=st.tuples(st.integers(3, 7), st.integers(3, 7)),
    size=pairs,
    stride=pairs,
    padding=paddings,
)
@pytest.mark.parametrize("pool", [F.max_pool2d, F.avg_pool2d])
def test_pools_with_overlapping_and_gapped_windows(
    pool: Callable, seed: int, image, size, stride, padding
) -> None:
    if not isinstance(padding, str):
        assume(all(max(s) < k for s, k in zip(padding, size, strict=True)))
    x = apart(seed, 1, *image, 2)
    gradcheck(lambda t: pool(t, size, stride=stride, padding=padding), x)


UNARY: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "relu6": lambda x: F.relu6(x * 10),
    "sigmoid": F.sigmoid,
    "tanh": F.tanh,
    "softmax": F.softmax,
    "exp": F.exp,
    "abs": F.abs,
    "neg": F.neg,
    "cube": lambda x: x**3,
    "log": lambda x: F.log(F.abs(x)),
    "sqrt": lambda x: F.sqrt(F.abs(x)),
    "global_avg_pool": F.global_avg_pool,
    "reshape": lambda x: x.reshape(3, -1),
    "flatten": lambda x: x.flatten(2),
    "transpose": lambda x: x.transpose(3, 1, 0, 2),
    "pad": lambda x: F.pad(x, ((0, 0), (1, 2), (0, 3), (1, 0))),
    "slice": lambda x: x[..., 1:, 0],
    "slice with steps": lambda x: x[0, ::2, ::-1],
    "sum": lambda x: x.sum((0, -1)),
    "sum of all": lambda x: x.sum(),
    "mean": lambda x: x.mean((1, 2), keepdims=True),
    "max": lambda x: x.max(1),
    "a tensor used twice": lambda x: x * x + x,
    "a diamond": lambda x: F.relu(x) * F.tanh(x) + F.exp(F.relu(x)),
}


@pytest.mark.parametrize("name", UNARY)
def test_one_input(name: str) -> None:
    gradcheck(UNARY[name], apart(3, 2, 3, 4, 2))


BINARY: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "add": F.add,
    "sub": F.sub,
    "mul": F.mul,
    "div": F.div,
    "maximum": F.maximum,
    "minimum": F.minimum,
}


@pytest.mark.parametrize("name", BINARY)
@pytest.mark.parametrize(
    "shapes", [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1, 3), (4, 1)), ((), (2,)), ((1,), (1, 1))]
)
def test_two_inputs_with_broadcasting(name: str, shapes) -> None:
    values = apart(5, 40).ravel()
    a, b = (int(np.prod(s)) for s in shapes)
    gradcheck(BINARY[name], values[:a].reshape(shapes[0]), values[a : a + b].reshape(shapes[1]))


@pytest.mark.parametrize("shapes", [((2, 3), (3, 4)), ((5, 2, 3), (3, 2)), ((2, 1, 2, 3), (4, 3, 1))])
def test_matmul(shapes) -> None:
    gradcheck(F.matmul, normal(1, *shapes[0]), normal(2, *shapes[1]))


@pytest.mark.parametrize("lead", [(3,), (2, 3)])
def test_linear(lead) -> None:
    gradcheck(F.linear, normal(1, *lead, 4), normal(2, 5, 4), normal(3, 5))
    gradcheck(F.linear, normal(1, *lead, 4), normal(2, 5, 4))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_concat(axis: int) -> None:
    shapes = [[2, 2, 3] for _ in range(3)]
    for i, shape in enumerate(shapes):
        shape[axis] = i + 1
    gradcheck(lambda *t: F.concat(t, axis), *(normal(i, *s) for i, s in enumerate(shapes)))


@pytest.mark.parametrize("shape", [(5, 3), (2, 3, 4, 3)])
def test_batch_norm(shape) -> None:
    x, gamma, beta, mean = normal(1, *shape), normal(2, 3), normal(3, 3), normal(4, 3)
    var = np.square(normal(5, 3)) + 0.5
    gradcheck(lambda *t: F.batch_norm(*t, epsilon=0.1), x, gamma, beta, mean, var)
    gradcheck(lambda *t: F.batch_norm_training(*t, epsilon=0.1)[0], x, gamma, beta)


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_losses(smoothing: float) -> None:
    labels = np.array([0, 3, 1])
    gradcheck(lambda x: F.cross_entropy(x, labels, label_smoothing=smoothing), normal(1, 3, 4))
    gradcheck(lambda x: F.mse(x, normal(2, 3, 4)), normal(1, 3, 4))


def test_dropout_passes_gradients_where_it_passes_values() -> None:
    gradcheck(lambda x: F.dropout(x, 0.4, rng=np.random.default_rng(7)), apart(1, 20))


def test_ties_in_max_pool_go_to_the_first_in_row_major_order() -> None:
    x = Tensor(np.ones((1, 2, 2, 1)), requires_grad=True)
    F.max_pool2d(x, 2).backward(np.full((1, 1, 1, 1), 5.0))
    assert x.grad is not None
    assert x.grad.ravel().tolist() == [5, 0, 0, 0]


def test_ties_in_overlapping_windows_count_once_for_each_window() -> None:
    x = Tensor(np.zeros((1, 1, 4, 1)), requires_grad=True)
    F.max_pool2d(x, (1, 2), stride=1).backward(np.array([1.0, 10, 100]).reshape(1, 1, 3, 1))
    assert x.grad is not None
    assert x.grad.ravel().tolist() == [1, 10, 100, 0]


def test_gradcheck_itself_finds_a_wrong_gradient() -> None:
    with pytest.raises(ModelError, match=r"input 0 of shape \(2,\): off by"):
        gradcheck(lambda x: x * x.detach(), normal(1, 2))


def test_no_gradient_for_what_asks_for_none() -> None:
    x, w = Tensor(np.ones((1, 3, 3, 1))), Tensor(np.ones((1, 3, 3, 1)), requires_grad=True)
    (step,) = F.conv2d(x, w).backward_steps(np.ones((1, 1, 1, 1)))
    assert step.input_gradients[0] is None and x.grad is None
    assert w.grad is not None and w.grad.shape == w.shape
