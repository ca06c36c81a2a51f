"""average_pool2d: TFLM = NumPy reference = host C."""

from __future__ import annotations

from hypothesis import given

from edgegen.codegen.graph import Graph
from tests.codegen.ops.elementwise import assert_case
from tests.codegen.ops.pooling import pools
from tests.exactness import cases


@cases(200)
@given(pools("average_pool2d"))
def test_exact(case: tuple[Graph, int]) -> None:
    assert_case(case)
