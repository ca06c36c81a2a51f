"""What mean and sum share: a sum less its zero points, rescaled once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgegen.codegen.arithmetic import quantize_multiplier, requantize, wrap32
from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import Call, NodeView
from edgegen.codegen.ops.common import quantization
from edgegen.codegen.ops.reductions import (
    ReductionOperator,
    ReductionParams,
    axes_of,
    loops,
    reduced_count,
    run_axes,
    shaped,
)


@dataclass(frozen=True, eq=False)
class AverageParams(ReductionParams):
    """`start` is what the sum begins with: minus the zero points of all elements."""

    start: int = 0
    multiplier: int = 0
    shift: int = 0
    output_offset: int = 0


class AverageOperator(ReductionOperator):
    @abstractmethod
    def rescale(self, multiplier: int, shift: int, count: int) -> tuple[int, int]:
        """The multiplier and shift of the sum, from those of the scales."""

    def prepare(self, view: NodeView) -> AverageParams:
        self.check_types(view)
        qx, qy = quantization(view, view.input(0)), quantization(view, view.outputs[0])
        count = reduced_count(view)
        multiplier, shift = self.rescale(*quantize_multiplier(qx.scale / qy.scale), count)
        return AverageParams(
            **loops(view),
            axes=axes_of(view),
            output_shape=view.outputs[0].shape,
            start=-qx.zero_point * count,
            multiplier=multiplier,
            shift=shift,
            output_offset=qy.zero_point,
        )

    def run_int(self, params: AverageParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        total = inputs[0].sum(axis=run_axes(params), dtype=np.int64) + params.start
        out = wrap32(requantize(total, params.multiplier, params.shift) + params.output_offset)
        return (shaped(params, np.clip(out, -128, 127).astype(np.int8)),)

    def call(self, view: NodeView, params: ReductionParams) -> Call:
        return Call(kernel="mean", params=params)
