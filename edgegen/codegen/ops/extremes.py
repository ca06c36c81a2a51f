"""What maximum and minimum share: raw numbers are compared, whatever their quantisation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import NodeView, Params, reference_only
from edgegen.codegen.ops.broadcast import aligned, plan_broadcast
from edgegen.codegen.ops.pairs import PairOperator


@dataclass(frozen=True, eq=False)
class MaximumParams(Params):
    """Loops of the broadcast; `sign` is 1 for the maximum and -1 for the minimum."""

    size: tuple[int, ...]
    first_step: tuple[int, ...]
    second_step: tuple[int, ...]
    element_bytes: int
    sign: int
    rank: int = reference_only()


class Extreme(PairOperator):
    types = "int8, int16, int32"
    constraints = "all of one quantisation; operands broadcast, up to 6 dimensions"
    accepts = (DType.INT8, DType.INT16, DType.INT32)
    kernel = "maximum"
    monotone = True
    keeps_quantization = True
    sign: ClassVar[int]

    def prepare(self, view: NodeView) -> MaximumParams:
        dtype = self.check_types(view)
        first, second, y = view.input(0), view.input(1), view.outputs[0]
        if not first.quantization == second.quantization == y.quantization:
            raise view.error(
                f"compares numbers of one quantisation, but those of {first.describe()}, "
                f"{second.describe()} and {y.describe()} differ; requantise first"
            )
        loops = plan_broadcast(first.shape, second.shape)
        return MaximumParams(
            size=loops.size,
            first_step=loops.first_step,
            second_step=loops.second_step,
            element_bytes=dtype.bytes,
            sign=self.sign,
            rank=len(y.shape),
        )

    def run_int(self, params: MaximumParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        first, second = (aligned(x, params.rank) for x in inputs)
        return (self.combine(first, second),)
