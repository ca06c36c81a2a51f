"""The C helpers that ship, called through cffi, against their NumPy twins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cffi
import numpy as np
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
"""
DECLARATIONS = "\n".join(
    line for line in WRAPPERS.splitlines() if line.startswith("int32_t") and line.endswith(");")
)
LOW, HIGH = -(2**31), 2**31 - 1
EDGES = [LOW, LOW + 1, -(2**30), -3, -2, -1, 0, 1, 2, 3, 2**30 - 1, 2**30, HIGH - 1, HIGH]

int32 = st.one_of(st.sampled_from(EDGES), st.integers(LOW, HIGH))
reals = st.floats(2.0**-40, 2.0**12)
properties = settings(max_examples=600, deadline=None)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Compiled with traps for undefined behaviour, so that an overflow ends the test run."""
    source = tmp_path_factory.mktemp("fixed_point") / "wrappers.c"
    source.write_text(WRAPPERS, encoding="utf-8")
    ffi = cffi.FFI()
    ffi.cdef(DECLARATIONS)
    return ffi.dlopen(str(build_shared([Path(source)], include_dirs=[KERNELS], flags=SANITIZE)))


@properties
@given(a=int32, b=int32)
def test_high_mul(library: Any, a: int, b: int) -> None:
    assert library.high_mul(a, b) == int(arithmetic.saturating_rounding_doubling_high_mul(a, b))


@properties
@given(x=int32, exponent=st.integers(0, 31))
def test_divide_by_pot(library: Any, x: int, exponent: int) -> None:
    assert library.divide_by_pot(x, exponent) == int(arithmetic.rounding_divide_by_pot(x, exponent))


@properties
@given(x=int32, real=reals)
def test_requantize_for_multipliers_from_tiny_to_large(library: Any, x: int, real: float) -> None:
    multiplier, shift = arithmetic.quantize_multiplier(real)
    assert library.requantize(x, multiplier, shift) == int(arithmetic.requantize(x, multiplier, shift))


@properties
@given(x=st.integers(-(2**40), 2**40), real=st.floats(2.0**-14, 1.0))
def test_requantize64(library: Any, x: int, real: float) -> None:
    multiplier, shift = arithmetic.quantize_multiplier(real)
    expected = int(arithmetic.requantize64(x, multiplier, shift))
    if LOW <= expected <= HIGH:
        assert library.requantize64(x, multiplier, shift) == expected


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


@pytest.mark.parametrize(
    ("real", "expected"),
    [(1.0, (1 << 30, 1)), (0.5, (1 << 30, 0)), (0.0, (0, 0)), (2.0**-32, (1 << 30, -31)), (2.0**-40, (0, 0))],
)
def test_multipliers_with_a_known_form(real: float, expected: tuple[int, int]) -> None:
    assert arithmetic.quantize_multiplier(real) == expected


def test_ties_of_a_division_go_away_from_zero() -> None:
    assert arithmetic.rounding_divide_by_pot(np.array([-3, -1, 1, 3]), 1).tolist() == [-2, -1, 1, 2]
