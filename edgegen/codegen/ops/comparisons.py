"""What the six comparisons share: quantised numbers are brought to one scale, then compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from edgegen.codegen.arithmetic import quantize_multiplier, requantize
from edgegen.codegen.graph import Array, DType, Tensor
from edgegen.codegen.ops.base import NodeView, Params, reference_only
from edgegen.codegen.ops.broadcast import aligned, plan_broadcast
from edgegen.codegen.ops.common import quantization
from edgegen.codegen.ops.pairs import PairOperator

RELATIONS: tuple[Callable[[Array, Array], Array], ...] = (
    np.equal,
    np.not_equal,
    np.greater,
    np.greater_equal,
    np.less,
    np.less_equal,
)
"""At the positions that the kernel knows."""

LEFT_SHIFT = 8


@dataclass(frozen=True, eq=False)
class CompareParams(Params):
    """Loops of the broadcast and the relation; multipliers of 0 compare the numbers as they are."""

    size: tuple[int, ...]
    first_step: tuple[int, ...]
    second_step: tuple[int, ...]
    element_bytes: int
    relation: int
    first_offset: int
    first_multiplier: int
    first_shift: int
    second_offset: int
    second_multiplier: int
    second_shift: int
    rank: int = reference_only()


class Comparison(PairOperator):
    types = "int8, int32, bool"
    constraints = "int8 scales below 1; operands broadcast, up to 6 dimensions"
    accepts = (DType.INT8, DType.INT32, DType.BOOL)
    gives = DType.BOOL
    kernel = "compare"
    relation: ClassVar[int]

    def combine(self, first: Array, second: Array) -> Array:
        return RELATIONS[self.relation](first, second)

    def prepare(self, view: NodeView) -> CompareParams:
        dtype = self.check_types(view)
        first, second = view.input(0), view.input(1)
        scaled = dtype is DType.INT8
        first_terms = _terms(view, first) if scaled else (0, 0, 0)
        second_terms = _terms(view, second) if scaled else (0, 0, 0)
        loops = plan_broadcast(first.shape, second.shape)
        return CompareParams(
            size=loops.size,
            first_step=loops.first_step,
            second_step=loops.second_step,
            element_bytes=dtype.bytes,
            relation=self.relation,
            first_offset=first_terms[0],
            first_multiplier=first_terms[1],
            first_shift=first_terms[2],
            second_offset=second_terms[0],
            second_multiplier=second_terms[1],
            second_shift=second_terms[2],
            rank=len(view.outputs[0].shape),
        )

    def run_int(self, params: CompareParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        first, second = (aligned(x, p.rank).astype(np.int64) for x in inputs)
        if p.first_multiplier or p.second_multiplier:
            first = requantize((first + p.first_offset) << LEFT_SHIFT, p.first_multiplier, p.first_shift)
            second = requantize((second + p.second_offset) << LEFT_SHIFT, p.second_multiplier, p.second_shift)
        return (RELATIONS[p.relation](first, second),)

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        shape = (1, *view.outputs[0].shape)
        return (np.zeros(shape, bool),), (np.ones(shape, bool),)


def _terms(view: NodeView, x: Tensor) -> tuple[int, int, int]:
    """Offset, multiplier and shift; TFLM multiplies by the scale itself, which must not reach 1."""
    q = quantization(view, x)
    multiplier, shift = quantize_multiplier(q.scale)
    if q.scale >= 1.0 or not multiplier:
        raise view.error(f"compares int8 at scales from 2^-31 to below 1, but {x.describe()} has {q.scale:g}")
    return -q.zero_point, multiplier, shift
