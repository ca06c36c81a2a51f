"""sum: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given

from edgegen.codegen.graph import Graph
from tests.codegen.ops.elementwise import assert_case
from tests.codegen.ops.reducing import reductions
from tests.exactness import cases


@cases(200)
@given(reductions("sum", rescales=True))
def test_exact(case: tuple[Graph, int]) -> None:
    assert_case(case)
