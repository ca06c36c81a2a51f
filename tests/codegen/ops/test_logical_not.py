"""logical_not: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given

from tests.codegen.ops.checks import assert_case, seeds, shapes
from tests.exactness import T, cases, one_op_graph


@cases(200)
@given(shapes(), seeds)
def test_exact(shape: tuple[int, ...], seed: int) -> None:
    assert_case((one_op_graph("logical_not", None, [T(shape, "bool")], [T(dtype="bool")]), seed))
