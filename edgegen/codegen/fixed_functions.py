"""Transcendental functions in fixed point, bit for bit as gemmlowp's `fixedpoint.h` defines them.

Values are raw int32 in int64 arrays; Qm.n means m integer bits beside the sign. Source of the definitions:
gemmlowp `fixedpoint/fixedpoint.h`, as used by TFLM's logistic, tanh and softmax kernels.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from edgegen.codegen.arithmetic import (
    INT32_MAX,
    INT32_MIN,
    Int64,
    rounding_divide_by_pot,
    saturating_rounding_doubling_high_mul,
)

# exp(-2^k) in Q0.31 for k = -2 .. 4
_EXP_OF_POWERS = (1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242)


def multiply_by_pot(x: npt.ArrayLike, exponent: int) -> Int64:
    """x * 2^exponent: saturating to the left, rounding to the right."""
    value = np.asarray(x, dtype=np.int64)
    if exponent <= 0:
        return rounding_divide_by_pot(value, -exponent)
    saturated: Int64 = np.clip(value << exponent, INT32_MIN, INT32_MAX)
    return saturated


def exp_on_negative_values(x: npt.ArrayLike, integer_bits: int) -> Int64:
    """e^x in Q0.31 of x <= 0 in Q(integer_bits)."""
    value = np.asarray(x, dtype=np.int64)
    fraction_bits = 31 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    in_quarter = (value & (quarter - 1)) - quarter
    result = _exp_of_quarter(multiply_by_pot(in_quarter, integer_bits))
    remainder = in_quarter - value
    for exponent, factor in enumerate(_EXP_OF_POWERS, start=-2):
        if integer_bits > exponent:
            scaled = saturating_rounding_doubling_high_mul(result, factor)
            result = np.where(remainder & (1 << (fraction_bits + exponent)), scaled, result)
    if integer_bits > 5:
        result = np.where(value < -(1 << (36 - integer_bits)), 0, result)
    return np.where(value == 0, INT32_MAX, result)


def _exp_of_quarter(x: Int64) -> Int64:
    """e^x in Q0.31 of x in [-1/4, 0) in Q0.31: a Taylor polynomial around -1/8."""
    mul = saturating_rounding_doubling_high_mul
    d = x + (1 << 28)
    d2 = mul(d, d)
    d3 = mul(d2, d)
    d4 = mul(d2, d2)
    tail = rounding_divide_by_pot(mul(rounding_divide_by_pot(d4, 2) + d3, 715827883) + d2, 1)
    return 1895147668 + mul(1895147668, d + tail)


def _twice_reciprocal(half_denominator: Int64) -> Int64:
    """1 / half_denominator in Q2.29 by three Newton-Raphson steps; half_denominator in Q0.31, 1/2 to 1."""
    mul = saturating_rounding_doubling_high_mul
    x = 1515870810 + mul(half_denominator, -1010580540)
    for _ in range(3):
        error = (1 << 29) - mul(half_denominator, x)
        x = x + multiply_by_pot(mul(x, error), 2)
    return x


def _half_sum_with_one(x: Int64) -> Int64:
    """(x + 1) / 2 in Q0.31, rounded away from zero."""
    return (x + INT32_MAX + 1) >> 1


def one_over_one_plus_x(x: npt.ArrayLike) -> Int64:
    """1 / (1 + x) in Q0.31 of x in [0, 1] in Q0.31."""
    reciprocal = _twice_reciprocal(_half_sum_with_one(np.asarray(x, dtype=np.int64)))
    return multiply_by_pot(reciprocal, 1)


def one_minus_x_over_one_plus_x(x: npt.ArrayLike) -> Int64:
    """(1 - x) / (1 + x) in Q0.31 of x in [0, 1] in Q0.31."""
    reciprocal = _twice_reciprocal(_half_sum_with_one(np.asarray(x, dtype=np.int64)))
    return multiply_by_pot(reciprocal - (1 << 29), 2)


def logistic(x: npt.ArrayLike, integer_bits: int) -> Int64:
    """1 / (1 + e^-x) in Q0.31 of x in Q(integer_bits)."""
    value = np.asarray(x, dtype=np.int64)
    positive = one_over_one_plus_x(exp_on_negative_values(-np.abs(value), integer_bits))
    result = np.where(value > 0, positive, INT32_MAX - positive)
    return np.where(value == 0, 1 << 30, result)


def tanh(x: npt.ArrayLike, integer_bits: int) -> Int64:
    """tanh(x) in Q0.31 of x in Q(integer_bits)."""
    value = np.asarray(x, dtype=np.int64)
    magnitude = one_minus_x_over_one_plus_x(exp_on_negative_values(-np.abs(value), integer_bits + 1))
    return np.where(value == 0, 0, np.where(value < 0, -magnitude, magnitude))


def leading_zeros(x: npt.ArrayLike) -> Int64:
    """Zero bits above the highest one of 32; 32 for 0."""
    value = np.asarray(x, dtype=np.int64)
    return 32 - np.frexp(value.astype(np.float64))[1].astype(np.int64)


def log_of_q12(x: npt.ArrayLike) -> Int64:
    """The natural logarithm in Q5.26 of x >= 1 in Q12.19 (TFLM log_x_for_x_greater_than_or_equal_to_1).

    x = 2^n r with r around sqrt(sqrt(1/2)), and log r by a rational function.
    """
    mul = saturating_rounding_doubling_high_mul
    value = np.asarray(x, dtype=np.int64)
    sqrt_half, fourth_root_of_half, quarter = 1518500250, 1805811301, 1 << 23
    headroom = leading_zeros(value) - 1
    r_whole = _doubled(mul(_doubled(value, headroom), sqrt_half), 1)
    log2_whole = np.minimum((12 - 1 - headroom) * (1 << 25) + quarter, INT32_MAX)
    headroom_half = leading_zeros(mul(value, sqrt_half)) - 1
    r_half = _doubled(value, headroom_half)
    log2_half = (12 - headroom_half) * (1 << 25) - quarter
    r = np.minimum(r_whole, r_half)
    log2 = np.maximum(log2_whole, log2_half)
    middle = (r + fourth_root_of_half + 1) >> 1
    q = 2 * (r - fourth_root_of_half)
    square = mul(q, q)
    numerator = mul(q, r) + mul(mul(q, square), 117049297)
    denominator = mul(middle, 1057819769 + q + mul(127690142, square)) + mul(638450708, q)
    fraction = mul(numerator, one_over_one_plus_x(denominator))
    return multiply_by_pot(mul(log2, 1488522236) + rounding_divide_by_pot(fraction, 6), 1)


def _doubled(x: Int64, times: Int64 | int) -> Int64:
    """x * 2^times, saturated."""
    saturated: Int64 = np.clip(x << np.maximum(times, 0), INT32_MIN, INT32_MAX)
    return saturated


@lru_cache(maxsize=4096)
def inverse_sqrt(x: int) -> tuple[int, int]:
    """1 / sqrt(x) of an integer as multiplier and shift (TFLM GetInvSqrtQuantizedMultiplierExp)."""
    if x <= 1:
        return INT32_MAX, 0
    shift = 11
    while x >= 1 << 29:
        x, shift = x // 4, shift + 1
    pairs = (31 - x.bit_length()) // 2 - 1
    x, shift = x << (2 * pairs), shift - pairs
    half = rounding_divide_by_pot(x >> 1, 1)
    root: Int64 = np.asarray(1 << 28, dtype=np.int64)
    for _ in range(5):
        root = _newton_step(root, half)
    root = saturating_rounding_doubling_high_mul(root, 1518500250)
    return (int(root) << -shift, 0) if shift < 0 else (int(root), -shift)


def _newton_step(root: Int64, half: Int64) -> Int64:
    """root * (3 - x * root^2) / 2 in Q3.28, from x / 2."""
    mul = saturating_rounding_doubling_high_mul
    cube = multiply_by_pot(mul(mul(root, root), root), 6)
    return multiply_by_pot(mul((1 << 28) + (1 << 27), root) - mul(half, cube), 3)


# where TFLM's table lies one above the rounded value, in favour of the interpolation between entries
# fmt: off
_ONE_ABOVE = (
    4, 8, 12, 14, 15, 16, 17, 19, 20, 21, 22, 25, 27, 28, 29, 30, 31, 33, 34, 35, 37, 39, 40, 41,
    43, 44, 45, 46, 49, 50, 54, 62, 63, 64, 66, 82, 86, 93, 100, 103, 112, 116, 135, 255,
)
# fmt: on


def sigmoid_table() -> npt.NDArray[np.uint16]:
    """1 / (1 + e^-(i / 24)) in 0.16, i = 0 .. 255: the table of TFLM's int16 logistic and tanh."""
    exact = 65536.0 / (1.0 + np.exp(np.arange(256) / -24.0))
    table = np.round(exact).astype(np.uint16)
    table[list(_ONE_ABOVE)] += 1
    return table
