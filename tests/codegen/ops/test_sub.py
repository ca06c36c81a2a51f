"""sub: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given

from edgegen.codegen.graph import Graph
from tests.codegen.ops.elementwise import assert_case, sums
from tests.exactness import cases


@cases(200)
@given(sums("sub"))
def test_exact(case: tuple[Graph, int]) -> None:
    assert_case(case)
