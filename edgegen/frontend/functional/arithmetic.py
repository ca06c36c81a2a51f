"""Elementwise functions with broadcasting."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from edgegen.frontend.functional import check
from edgegen.frontend.mode import fail
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Operand, Tensor, apply, as_tensor


def unbroadcast(gradient: Array, shape: tuple[int, ...]) -> Array:
    """Sum `gradient` over the axes along which an operand of `shape` was repeated."""
    if gradient.shape == shape:
        return gradient
    ahead = gradient.ndim - len(shape)
    repeated = [ahead + i for i, size in enumerate(shape) if size == 1 and gradient.shape[ahead + i] != 1]
    total: Array = gradient.sum(axis=(*range(ahead), *repeated), keepdims=True)
    return total.reshape(shape)


def _operands(op: str, x: Operand, y: Operand) -> tuple[Tensor, Tensor]:
    left = as_tensor(x, y if isinstance(y, Tensor) else None)
    right = as_tensor(y, left)
    check.floats(op, left, right)
    _broadcast(op, left, right)
    return left, right


def _broadcast(op: str, left: Tensor, right: Tensor) -> None:
    try:
        np.broadcast_shapes(left.shape, right.shape)
    except ValueError:
        fail(op, f"shapes {left.shape} and {right.shape} do not broadcast")


def _binary(
    op: str,
    x: Operand,
    y: Operand,
    forward: Callable[[Array, Array], Array],
    grads: Callable[..., tuple[Array, Array]],
) -> Tensor:
    left, right = _operands(op, x, y)
    a, b = left._data, right._data

    def pull(dz: Array) -> tuple[Array, Array]:
        da, db = grads(dz, a, b)
        return unbroadcast(da, a.shape), unbroadcast(db, b.shape)

    return apply(op, (left, right), forward(a, b), pull)


def add(x: Operand, y: Operand) -> Tensor:
    """x + y."""
    return _binary("add", x, y, np.add, lambda dz, _a, _b: (dz, dz))


def sub(x: Operand, y: Operand) -> Tensor:
    """x - y."""
    return _binary("sub", x, y, np.subtract, lambda dz, _a, _b: (dz, -dz))


def mul(x: Operand, y: Operand) -> Tensor:
    """x * y."""
    return _binary("mul", x, y, np.multiply, lambda dz, a, b: (dz * b, dz * a))


def div(x: Operand, y: Operand) -> Tensor:
    """x / y."""
    return _binary("div", x, y, np.divide, lambda dz, a, b: (dz / b, -dz * a / (b * b)))


def maximum(x: Operand, y: Operand) -> Tensor:
    """The larger of two; `x` receives the gradient of a tie."""
    return _binary("maximum", x, y, np.maximum, lambda dz, a, b: (dz * (a >= b), dz * (a < b)))


def minimum(x: Operand, y: Operand) -> Tensor:
    """The smaller of two; `x` receives the gradient of a tie."""
    return _binary("minimum", x, y, np.minimum, lambda dz, a, b: (dz * (a <= b), dz * (a > b)))


_COMPARISONS: dict[str, Callable[[Array, Array], Array]] = {
    "less": np.less,
    "less_equal": np.less_equal,
    "greater": np.greater,
    "greater_equal": np.greater_equal,
    "equal": np.equal,
    "not_equal": np.not_equal,
}


def compare(op: str, x: Operand, y: object) -> Tensor:
    """A tensor of booleans; `NotImplemented` for what is not a number, an array or a tensor."""
    if not isinstance(y, Tensor | np.ndarray | np.generic | int | float):
        return NotImplemented  # type: ignore[no-any-return]
    left = as_tensor(x)
    right = as_tensor(y)
    _broadcast(op, left, right)
    return apply(op, (left, right), _COMPARISONS[op](left._data, right._data), None)


def _unary(op: str, x: Tensor, y: Array, slope: Callable[[], Array]) -> Tensor:
    check.floats(op, x)
    return apply(op, (x,), y, lambda dy: (dy * slope(),))


def neg(x: Tensor) -> Tensor:
    """-x."""
    check.floats("neg", x)
    return apply("neg", (x,), -x._data, lambda dy: (-dy,))


def power(x: Tensor, exponent: float) -> Tensor:
    """x to a constant exponent."""
    check.floats("pow", x)
    a, e = x._data, float(exponent)
    return apply("pow", (x,), a**e, lambda dy: (dy * (e * a ** (e - 1)),), {"exponent": e})


def exp(x: Tensor) -> Tensor:
    """e to the x."""
    y = np.exp(x._data)
    return _unary("exp", x, y, lambda: y)


def log(x: Tensor) -> Tensor:
    """The natural logarithm."""
    return _unary("log", x, np.log(x._data), lambda: 1 / x._data)


def sqrt(x: Tensor) -> Tensor:
    """The square root."""
    y = np.sqrt(x._data)
    return _unary("sqrt", x, y, lambda: 0.5 / y)


def rsqrt(x: Tensor) -> Tensor:
    """1 / sqrt(x)."""
    y = 1 / np.sqrt(x._data)
    return _unary("rsqrt", x, y, lambda: -0.5 * y / x._data)


def abs(x: Tensor) -> Tensor:
    """The magnitude; its slope at zero is zero."""
    return _unary("abs", x, np.abs(x._data), lambda: np.sign(x._data))
