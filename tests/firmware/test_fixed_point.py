"""The C helpers that ship, called through cffi, against their NumPy twins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cffi
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgegen.codegen import arithmetic
from edgegen.codegen.hostlib import KERNELS, SANITIZE
from edgegen.codegen.toolchain import build_shared

WRAPPERS = """
#include "fixed_point.h"
int32_t high_mul(int32_t a, int32_t b);
int32_t divide_by_pot(int32_t x, int32_t exponent);
int32_t requantize(int32_t x, int32_t multiplier, int32_t shift);
int32_t requantize64(int64_t x, int32_t multiplier, int32_t shift);
int32_t wrap32(int64_t x);
int32_t clamp(int32_t x, int32_t low, int32_t high);
int32_t high_mul(int32_t a, int32_t b) { return edgegen_high_mul(a, b); }
int32_t divide_by_pot(int32_t x, int32_t exponent) { return edgegen_divide_by_pot(x, exponent); }
int32_t requantize(int32_t x, int32_t multiplier, int32_t shift)
{
    return edgegen_requantize(x, multiplier, shift);
}
int32_t requantize64(int64_t x, int32_t multiplier, int32_t shift)
{
    return edgegen_requantize64(x, multiplier, shift);
}
int32_t wrap32(int64_t x) { return edgegen_wrap32(x); }
int32_t clamp(int32_t x, int32_t low, int32_t high) { return edgegen_clamp(x, low, high); }
"""
DECLARATIONS = "\n".join(
    line for line in WRAPPERS.splitlines() if line.startswith("int32_t") and line.endswith(");")
)
LOW, HIGH = -(2**31), 2**31 - 1
EDGES = [LOW, LOW + 1, -(2**30), -3, -2, -1, 0, 1, 2, 3, 2**30 - 1, 2**30, HIGH - 1, HIGH]

int32 = st.one_of(st.sampled_from(EDGES), st.integers(LOW, HIGH))
mantissas = st.one_of(st.sampled_from([0, 1 << 30, HIGH]), st.integers(1 << 30, HIGH))
reals = st.floats(2.0**-40, 2.0**12)
properties = settings(max_examples=600, deadline=None)


@pytest.fixture(scope="module", params=[(), SANITIZE], ids=["as shipped", "sanitized"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """As it ships, and with traps for undefined behaviour, so that an overflow ends the test run."""
    source = tmp_path_factory.mktemp("fixed_point") / "wrappers.c"
    source.write_text(WRAPPERS, encoding="utf-8")
    ffi = cffi.FFI()
    ffi.cdef(DECLARATIONS)
    return ffi.dlopen(str(build_shared([Path(source)], include_dirs=[KERNELS], flags=request.param)))


@properties
@given(a=int32, b=int32)
def test_high_mul(library: Any, a: int, b: int) -> None:
    assert library.high_mul(a, b) == int(arithmetic.saturating_rounding_doubling_high_mul(a, b))


@properties
@given(x=int32, exponent=st.integers(0, 31))
def test_divide_by_pot(library: Any, x: int, exponent: int) -> None:
    assert library.divide_by_pot(x, exponent) == int(arithmetic.rounding_divide_by_pot(x, exponent))


def test_products_and_divisions_at_the_edges(library: Any) -> None:
    for a in EDGES:
        for b in EDGES:
            expected = int(arithmetic.saturating_rounding_doubling_high_mul(a, b))
            assert library.high_mul(a, b) == expected, (a, b)
        for exponent in range(32):
            expected = int(arithmetic.rounding_divide_by_pot(a, exponent))
            assert library.divide_by_pot(a, exponent) == expected, (a, exponent)


@properties
@given(x=int32, multiplier=mantissas, shift=st.integers(-31, 12))
def test_requantize_for_every_shift(library: Any, x: int, multiplier: int, shift: int) -> None:
    assert library.requantize(x, multiplier, shift) == int(arithmetic.requantize(x, multiplier, shift))


@properties
@given(half=st.integers(-(2**20), 2**20), shift=st.integers(-30, 0))
def test_requantize_of_ties(library: Any, half: int, shift: int) -> None:
    """Multiplier 1/2 makes a tie of every odd number, and powers of two make further ones."""
    for x in (2 * half + 1, (2 * half + 1) << min(-shift, 9)):
        assert library.requantize(x, 1 << 30, shift) == int(arithmetic.requantize(x, 1 << 30, shift))


@properties
@given(x=int32, real=reals)
def test_requantize_for_multipliers_from_tiny_to_large(library: Any, x: int, real: float) -> None:
    multiplier, shift = arithmetic.quantize_multiplier(real)
    assert library.requantize(x, multiplier, shift) == int(arithmetic.requantize(x, multiplier, shift))


@properties
@given(x=st.integers(-(2**47), 2**47), multiplier=mantissas, shift=st.integers(-31, 14))
def test_requantize64(library: Any, x: int, multiplier: int, shift: int) -> None:
    """A result that 32 bits do not hold wraps, as the conversion does in C."""
    expected = int(arithmetic.wrap32(arithmetic.requantize64(x, multiplier, shift)))
    assert library.requantize64(x, multiplier, shift) == expected


@properties
@given(x=st.integers(-(2**63), 2**63 - 1))
def test_wrap32(library: Any, x: int) -> None:
    assert library.wrap32(x) == int(arithmetic.wrap32(x))


@properties
@given(x=int32, a=int32, b=int32)
def test_clamp(library: Any, x: int, a: int, b: int) -> None:
    low, high = sorted((a, b))
    assert library.clamp(x, low, high) == sorted((low, x, high))[1]


@pytest.mark.parametrize("x", EDGES)
@pytest.mark.parametrize("shift", [-31, -30, -1, 0, 1, 12])
@pytest.mark.parametrize("multiplier", [1 << 30, HIGH, (1 << 30) + 1, 0])
def test_requantize_at_the_edges(library: Any, x: int, shift: int, multiplier: int) -> None:
    assert library.requantize(x, multiplier, shift) == int(arithmetic.requantize(x, multiplier, shift))


@given(x=int32, real=st.floats(2.0**-20, 0.999))
@properties
def test_requantize_is_the_real_product_to_within_its_two_roundings(x: int, real: float) -> None:
    multiplier, shift = arithmetic.quantize_multiplier(real)
    exact = x * (multiplier * 2.0 ** (shift - 31))
    assert abs(int(arithmetic.requantize(x, multiplier, shift)) - exact) <= 1.0
