"""Checking gradients against numerical differences."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from edgegen.errors import ModelError, problems
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Tensor


def gradcheck(
    function: Callable[..., Tensor],
    *inputs: Array,
    step: float = 1e-6,
    tolerance: float = 1e-6,
    seed: int = 0,
) -> None:
    """Compare the gradient of `function` at float64 `inputs` with central differences, element by element.

    The output is weighted by random numbers from `seed`, so that errors do not cancel. Raises `ModelError`
    that lists each input whose gradient is off by more than `tolerance`, relative to the larger of one and
    the value.
    """
    points = [np.array(x, np.float64) for x in inputs]
    tensors = [Tensor(x, requires_grad=True) for x in points]
    output = function(*tensors)
    weights = np.random.default_rng(seed).standard_normal(output.shape)
    output.backward(weights)
    wrong = []
    for index, tensor in enumerate(tensors):
        want = np.array(list(_differences(function, points, index, weights, step))).reshape(tensor.shape)
        have = np.zeros(tensor.shape) if tensor.grad is None else tensor.grad
        error = np.abs(have - want) / np.maximum(1, np.abs(want))
        if have.shape != want.shape or (error.size and not error.max() <= tolerance):
            wrong.append(f"input {index} of shape {tensor.shape}: off by {error.max():.3g}")
    if wrong:
        raise ModelError(problems("the gradient differs from numerical differences", wrong))


def _differences(
    function: Callable[..., Tensor], points: list[Array], index: int, weights: Array, step: float
) -> Iterator[float]:
    for position in np.ndindex(points[index].shape):
        sides = []
        for delta in (step, -step):
            moved = [x.copy() for x in points]
            moved[index][position] += delta
            sides.append(float((function(*(Tensor(x) for x in moved)).data * weights).sum()))
        yield (sides[0] - sides[1]) / (2 * step)
