"""What logical_and and logical_or share: on bytes 0 and 1 they are the minimum and the maximum."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.broadcast import aligned, plan_broadcast
from edgegen.codegen.ops.extremes import MaximumParams
from edgegen.codegen.ops.pairs import PairOperator


class Connective(PairOperator):
    types = "bool"
    accepts = (DType.BOOL,)
    kernel = "maximum"
    monotone = True
    sign: ClassVar[int]

    def prepare(self, view: NodeView) -> MaximumParams:
        self.check_types(view)
        loops = plan_broadcast(view.input(0).shape, view.input(1).shape)
        return MaximumParams(
            size=loops.size,
            first_step=loops.first_step,
            second_step=loops.second_step,
            element_bytes=1,
            sign=self.sign,
            rank=len(view.outputs[0].shape),
        )

    def run_int(self, params: MaximumParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        first, second = (aligned(x, params.rank) for x in inputs)
        return (self.combine(first, second),)
