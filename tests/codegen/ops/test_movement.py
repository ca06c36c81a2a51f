"""The plan of data movement: which kernel a map of elements gets, and that it does the map."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen import hostlib
from edgegen.codegen.graph import DType
from edgegen.codegen.ops.base import TensorType
from edgegen.codegen.ops.movement import (
    HOLE,
    CopyNdParams,
    CopyParams,
    RemapParams,
    movement_call,
    movement_params,
    run_movement,
)
from tests.codegen.ops.checks import seeds
from tests.exactness import cases

Places = npt.NDArray[np.int64]
SOURCE = 24
NUMBERS: Places = np.arange(SOURCE)


@pytest.mark.parametrize(
    ("places", "kernel", "loops"),
    [
        (NUMBERS.reshape(2, 3, 4), CopyParams, 0),
        (NUMBERS.reshape(2, 3, 4).transpose(2, 0, 1), CopyNdParams, 2),
        (NUMBERS.reshape(4, 6)[1:3, 2:5], CopyNdParams, 1),
        (NUMBERS.reshape(4, 6)[:, ::-1], CopyNdParams, 2),
        (np.broadcast_to(NUMBERS[5], (3, 4)), CopyNdParams, 1),
        (NUMBERS.reshape(4, 6)[[0, 0, 3]], RemapParams, 1),
        (np.pad(NUMBERS.reshape(4, 6), 1, constant_values=HOLE), RemapParams, 2),
        (np.full((2, 2), HOLE), RemapParams, 0),
    ],
)
def test_kernel(places: Places, kernel: type, loops: int) -> None:
    params = movement_params(places, 1, fill=0, source=SOURCE)
    assert isinstance(params, kernel)
    if isinstance(params, CopyNdParams | RemapParams):
        assert sum(size > 1 for size in params.size) == loops


def test_a_map_that_is_no_sum_over_axes_has_no_kernel() -> None:
    assert movement_params(np.array([[0, 1], [2, 9]]), 1, fill=0, source=SOURCE) is None


@st.composite
def maps(draw: st.DrawFn) -> tuple[Places, int]:
    """Sums of one term an axis, some of them holes, within the source."""
    terms = []
    for _ in range(draw(st.integers(0, 4))):
        term = draw(st.lists(st.integers(0, 5), min_size=1, max_size=4))
        terms.append([HOLE if draw(st.integers(0, 9)) == 0 else place for place in term])
    places = np.zeros((1,) * len(terms), np.int64)
    for axis, term in enumerate(terms):
        places = places + np.array(term).reshape(-1, *(1,) * (len(terms) - axis - 1))
    return np.where(places < 0, HOLE, places), draw(seeds)


@cases(300)
@given(maps(), st.sampled_from(list(DType)), st.integers(-128, 127))
def test_the_kernels_do_the_map(case: tuple[Places, int], dtype: DType, fill: int) -> None:
    places, seed = case
    params = movement_params(places, dtype.bytes, fill=fill, source=SOURCE)
    assert params is not None
    bits = np.random.default_rng(seed).integers(
        0, 2 if dtype is DType.BOOL else 256, (2, SOURCE * dtype.bytes)
    )
    x = bits.astype(np.uint8).view(dtype.numpy)
    filled = np.full(dtype.bytes, fill, np.int8).view(np.uint8)
    expected = x.view(np.uint8).reshape(2, SOURCE, -1)[:, np.maximum(places, 0)]
    expected = np.where((places == HOLE)[..., np.newaxis], filled, expected)
    got = run_movement(params, x)
    assert got.shape == (2, *places.shape) and got.dtype == x.dtype
    assert got.tobytes() == expected.tobytes()
    (in_c,) = hostlib.run_call(movement_call(params), [x[0]], [TensorType(places.shape, dtype)])
    assert in_c.tobytes() == expected[0].tobytes()
