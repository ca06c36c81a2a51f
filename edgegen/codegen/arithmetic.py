"""The integer arithmetic of TensorFlow Lite Micro's reference kernels, in NumPy.

Source of the definitions: TFLM `kernels/internal/common.{h,cc}` and `quantization_util.cc`. Everything here
has a C twin in `firmware/kernels/fixed_point.h`, and the two are compared over edge values by the tests.
A shift is positive to the left, as there.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError

Int64 = npt.NDArray[np.int64]

INT32_MIN = -(2**31)
INT32_MAX = 2**31 - 1


def quantize_multiplier(real: float) -> tuple[int, int]:
    """A real multiplier as (mantissa of 31 bits, shift): real ~ mantissa * 2^(shift - 31)."""
    if real == 0.0:
        return 0, 0
    fraction, shift = math.frexp(real)
    # round half away from zero, as std::round does
    mantissa = math.floor(abs(fraction) * 2**31 + 0.5)
    mantissa = -mantissa if fraction < 0 else mantissa
    if mantissa == 2**31:
        mantissa //= 2
        shift += 1
    if shift < -31:
        return 0, 0
    if shift > 31:
        raise ModelError(f"a multiplier of {real:g} cannot be quantised: it must stay below 2^31")
    return mantissa, shift


def quantize_multipliers(reals: npt.ArrayLike) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """`quantize_multiplier` of each element."""
    pairs = [quantize_multiplier(float(real)) for real in np.asarray(reals, dtype=np.float64).ravel()]
    return (
        np.array([mantissa for mantissa, _ in pairs], dtype=np.int32),
        np.array([shift for _, shift in pairs], dtype=np.int32),
    )


def wrap32(x: npt.ArrayLike) -> Int64:
    """Reduce to 32 bits with wrap-around, held in int64."""
    return np.asarray(x, dtype=np.int64).astype(np.int32).astype(np.int64)


def saturating_rounding_doubling_high_mul(a: npt.ArrayLike, b: npt.ArrayLike) -> Int64:
    """floor((a*b + nudge) / 2^31) truncating towards zero, saturated when both are INT32_MIN.

    gemmlowp adds 2^30 (or 1 - 2^30 for a negative product) and divides with truncation, which is
    floor((a*b + 2^30) / 2^31).
    """
    product = np.asarray(a, dtype=np.int64) * np.asarray(b, dtype=np.int64)
    high: Int64 = (product + (1 << 30)) >> 31
    return np.minimum(high, INT32_MAX)


def rounding_divide_by_pot(x: npt.ArrayLike, exponent: npt.ArrayLike) -> Int64:
    """x / 2^exponent rounded to nearest, ties away from zero (gemmlowp RoundingDivideByPOT)."""
    value = np.asarray(x, dtype=np.int64)
    power = np.asarray(exponent, dtype=np.int64)
    mask = (np.int64(1) << power) - 1
    threshold = (mask >> 1) + (value < 0)
    rounded: Int64 = (value >> power) + ((value & mask) > threshold)
    return rounded


def requantize(x: npt.ArrayLike, multiplier: npt.ArrayLike, shift: npt.ArrayLike) -> Int64:
    """MultiplyByQuantizedMultiplier of an int32 with two roundings; operands broadcast.

    The left shift wraps to 32 bits, as it does in the C.
    """
    amount = np.asarray(shift, dtype=np.int64)
    left = wrap32(np.asarray(x, dtype=np.int64) << np.maximum(amount, 0))
    return rounding_divide_by_pot(
        saturating_rounding_doubling_high_mul(left, multiplier), np.maximum(-amount, 0)
    )


def requantize64(x: npt.ArrayLike, multiplier: npt.ArrayLike, shift: npt.ArrayLike) -> Int64:
    """MultiplyByQuantizedMultiplier of an int64 (16x8 kernels): 16-bit multiplier, one rounding."""
    value = np.asarray(x, dtype=np.int64)
    mantissa = np.asarray(multiplier, dtype=np.int64)
    reduced = np.where(mantissa < 0x7FFF0000, (mantissa + (1 << 15)) >> 16, 0x7FFF)
    total = 15 - np.asarray(shift, dtype=np.int64)
    scaled: Int64 = (value * reduced + (np.int64(1) << (total - 1))) >> total
    return scaled
