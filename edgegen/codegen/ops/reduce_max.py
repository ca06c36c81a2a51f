"""reduce_max: the largest element over some axes."""

from __future__ import annotations

from collections.abc import Sequence

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.common import quantization
from edgegen.codegen.ops.reductions import (
    ReductionOperator,
    ReductionParams,
    axes_of,
    loops,
    run_axes,
    shaped,
)


class ReduceMax(ReductionOperator):
    name = "reduce_max"
    tflite = "REDUCE_MAX"
    constraints = "axes constant; input and output share scale and zero point"
    keeps_quantization = True

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        out = x.max(axis=tuple(axis + 1 for axis in axes_of(view)))
        return (out.reshape(x.shape[0], *self.infer(view)[0].shape),)

    def prepare(self, view: NodeView) -> ReductionParams:
        self.check_types(view)
        qx, qy = quantization(view, view.input(0)), quantization(view, view.outputs[0])
        if (qx.scale, qx.zero_point) != (qy.scale, qy.zero_point):
            raise view.error("input and output must share scale and zero point")
        return ReductionParams(**loops(view), axes=axes_of(view), output_shape=view.outputs[0].shape)

    def run_int(self, params: ReductionParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (shaped(params, inputs[0].max(axis=run_axes(params))),)


OPERATOR = ReduceMax()
