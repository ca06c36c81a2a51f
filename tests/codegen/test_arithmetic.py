"""The NumPy arithmetic against its definition in exact integers and fractions, written down a second time."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgegen.codegen import arithmetic
from edgegen.codegen.arithmetic import INT32_MAX, INT32_MIN
from edgegen.errors import ModelError

EDGES = [
    INT32_MIN,
    INT32_MIN + 1,
    -(2**30) - 1,
    -(2**30),
    -3,
    -2,
    -1,
    0,
    1,
    2,
    3,
    2**30 - 1,
    2**30,
    2**30 + 1,
    INT32_MAX - 1,
    INT32_MAX,
]
int32 = st.one_of(st.sampled_from(EDGES), st.integers(INT32_MIN, INT32_MAX))
mantissas = st.one_of(st.sampled_from([0, 2**30, 2**30 + 1, INT32_MAX]), st.integers(2**30, INT32_MAX))
properties = settings(max_examples=500, deadline=None)


def truncated(numerator: int, denominator: int) -> int:
    """Division as in C, towards zero."""
    quotient = abs(numerator) // denominator
    return quotient if numerator >= 0 else -quotient


def high_mul(a: int, b: int) -> int:
    """gemmlowp's SaturatingRoundingDoublingHighMul: a nudge by sign, then a division towards zero."""
    if a == b == INT32_MIN:
        return INT32_MAX
    nudge = 2**30 if a * b >= 0 else 1 - 2**30
    return truncated(a * b + nudge, 2**31)


def nearest_away_from_zero(value: Fraction) -> int:
    magnitude = math.floor(abs(value) + Fraction(1, 2))
    return magnitude if value >= 0 else -magnitude


def wrapped(x: int) -> int:
    return (x + 2**31) % 2**32 - 2**31


# Multipliers -------------------------------------------------------------------------------------------


@properties
@given(real=st.floats(2.0**-31, 2.0**12))
def test_a_multiplier_is_the_nearest_of_31_bits(real: float) -> None:
    mantissa, shift = arithmetic.quantize_multiplier(real)
    assert 2**30 <= mantissa <= INT32_MAX
    unit = Fraction(2) ** (shift - 31)
    assert abs(mantissa * unit - Fraction(real)) <= unit / 2


@pytest.mark.parametrize(
    ("real", "expected"),
    [
        (1.0, (2**30, 1)),
        (math.nextafter(1.0, 0.0), (2**30, 1)),  # rounds up to the next power of two
        (1.0 - 2.0**-31, (INT32_MAX, 0)),
        (1.0 - 2.0**-32, (2**30, 1)),  # a tie goes up
        (1.0 + 2.0**-30, (2**30 + 1, 1)),
        (1.5, (3 * 2**29, 1)),
        (4096.0, (2**30, 13)),
        (2.0**-31, (2**30, -30)),
        (2.0**-32, (2**30, -31)),
        (math.nextafter(2.0**-32, 0.0), (2**30, -31)),
        (2.0**-33, (0, 0)),
        (2.0**-40, (0, 0)),
        (5e-324, (0, 0)),
        (0.0, (0, 0)),
        (-0.75, (-3 * 2**29, 0)),
        (2.0**30, (2**30, 31)),
    ],
)
def test_multipliers_of_a_known_form(real: float, expected: tuple[int, int]) -> None:
    assert arithmetic.quantize_multiplier(real) == expected


@pytest.mark.parametrize("real", [2.0**31, 1e300])
def test_multipliers_that_are_too_large(real: float) -> None:
    with pytest.raises(ModelError, match=r"must stay below 2\^31"):
        arithmetic.quantize_multiplier(real)


def test_an_array_of_multipliers() -> None:
    mantissas_, shifts = arithmetic.quantize_multipliers([[1.0, 0.5], [0.0, 3.0]])
    assert mantissas_.tolist() == [2**30, 2**30, 0, 3 * 2**29]
    assert shifts.tolist() == [1, 0, 0, 2]
    assert (mantissas_.dtype, shifts.dtype) == (np.int32, np.int32)


# Products and divisions --------------------------------------------------------------------------------


@properties
@given(a=int32, b=int32)
def test_high_multiplication(a: int, b: int) -> None:
    assert int(arithmetic.saturating_rounding_doubling_high_mul(a, b)) == high_mul(a, b)


def test_only_one_product_saturates() -> None:
    a, b = np.meshgrid(np.array(EDGES), np.array(EDGES))
    products = arithmetic.saturating_rounding_doubling_high_mul(a, b)
    assert products.tolist() == [[high_mul(x, y) for x in EDGES] for y in EDGES]
    assert products.max() == products[0, 0] == INT32_MAX
    assert products.min() >= INT32_MIN


@properties
@given(x=int32, exponent=st.integers(0, 31))
def test_division_by_a_power_of_two(x: int, exponent: int) -> None:
    expected = nearest_away_from_zero(Fraction(x, 2**exponent))
    assert int(arithmetic.rounding_divide_by_pot(x, exponent)) == expected


@pytest.mark.parametrize("exponent", [1, 2, 7, 30, 31])
def test_ties_go_away_from_zero(exponent: int) -> None:
    half = 2 ** (exponent - 1)
    given_ = np.array([x for x in (-3 * half, -half, half, 3 * half) if INT32_MIN <= x <= INT32_MAX])
    expected = [nearest_away_from_zero(Fraction(int(x), 2**exponent)) for x in given_]
    assert arithmetic.rounding_divide_by_pot(given_, exponent).tolist() == expected


# Requantisation ----------------------------------------------------------------------------------------


@properties
@given(x=int32, mantissa=mantissas, shift=st.integers(-31, 12))
def test_requantisation_rounds_twice(x: int, mantissa: int, shift: int) -> None:
    left = wrapped(x * 2 ** max(shift, 0))
    expected = nearest_away_from_zero(Fraction(high_mul(left, mantissa), 2 ** max(-shift, 0)))
    assert int(arithmetic.requantize(x, mantissa, shift)) == expected


@properties
@given(x=st.integers(-(2**47), 2**47), mantissa=mantissas, shift=st.integers(-31, 14))
def test_requantisation_of_64_bits_rounds_once(x: int, mantissa: int, shift: int) -> None:
    reduced = 0x7FFF if mantissa >= 0x7FFF0000 else (mantissa + 2**15) // 2**16
    expected = math.floor(x * reduced * Fraction(2) ** (shift - 15) + Fraction(1, 2))
    assert int(arithmetic.requantize64(x, mantissa, shift)) == expected


def test_each_channel_has_its_own() -> None:
    sums = np.array([[1000, 1000, -1000], [7, 7, -7]])
    multipliers, shifts = arithmetic.quantize_multipliers([1.0, 0.25, 3.5])
    # -24.5 goes up: with a shift to the left the product alone rounds, and its ties go towards plus infinity
    assert arithmetic.requantize(sums, multipliers, shifts).tolist() == [[1000, 250, -3500], [7, 2, -24]]


@pytest.mark.parametrize("x", [2**31, -(2**31) - 1, 2**32, 2**40 + 5, -(2**40) - 5])
def test_wrapping(x: int) -> None:
    assert int(arithmetic.wrap32(x)) == wrapped(x)
