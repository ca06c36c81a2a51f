"""Fixed-point functions near the real ones; that they are TFLM's bit for bit is tested with the operators."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.codegen import fixed_functions as ff

BITS = (3, 4, 5)


@pytest.mark.parametrize("bits", BITS)
def test_exponential(bits: int) -> None:
    x = -np.linspace(0, 2.0**bits - 2.0**-20, 4001)
    raw = np.round(x * 2.0 ** (31 - bits)).astype(np.int64)
    np.testing.assert_allclose(ff.exp_on_negative_values(raw, bits) / 2.0**31, np.exp(x), atol=1e-6)


@pytest.mark.parametrize("bits", BITS)
def test_logistic_and_tanh(bits: int) -> None:
    x = np.linspace(-(2.0**bits) + 2.0**-20, 2.0**bits - 2.0**-20, 4001)
    raw = np.round(x * 2.0 ** (31 - bits)).astype(np.int64)
    np.testing.assert_allclose(ff.logistic(raw, bits) / 2.0**31, 1 / (1 + np.exp(-x)), atol=1e-6)
    np.testing.assert_allclose(ff.tanh(raw, bits) / 2.0**31, np.tanh(x), atol=1e-6)


def test_reciprocals() -> None:
    x = np.linspace(0, 1 - 2.0**-20, 4001)
    raw = np.round(x * 2.0**31).astype(np.int64)
    np.testing.assert_allclose(ff.one_over_one_plus_x(raw) / 2.0**31, 1 / (1 + x), atol=1e-6)
    np.testing.assert_allclose(ff.one_minus_x_over_one_plus_x(raw) / 2.0**31, (1 - x) / (1 + x), atol=1e-6)


def test_logarithm() -> None:
    x = np.concatenate([np.linspace(1, 2, 1001), np.geomspace(1, 4095, 1001)])
    raw = np.round(x * 2.0**19).astype(np.int64)
    np.testing.assert_allclose(ff.log_of_q12(raw) / 2.0**26, np.log(x), atol=4e-6)


@pytest.mark.parametrize("x", [1, 2, 3, 255, 65025, 2**29 - 1, 2**29, 2**31 - 1])
def test_inverse_square_root(x: int) -> None:
    multiplier, shift = ff.inverse_sqrt(x)
    assert multiplier * 2.0 ** (shift - 31) == pytest.approx(x**-0.5, rel=3e-6)


def test_leading_zeros() -> None:
    assert ff.leading_zeros(np.array([0, 1, 2, 2**30, 2**31 - 1, 2**32 - 1])).tolist() == [
        32,
        31,
        30,
        1,
        1,
        0,
    ]


def test_sigmoid_table() -> None:
    table = ff.sigmoid_table().astype(np.int64)
    exact = 65536 / (1 + np.exp(-np.arange(256) / 24))
    assert np.abs(table - exact).max() < 1.5
    assert (np.diff(table) >= 0).all() and table[0] == 32768 and table[-1] == 65535
