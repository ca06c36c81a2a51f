"""What reshape, squeeze and expand_dims share: the elements stay where they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, reference_only


@dataclass(frozen=True, eq=False)
class ViewParams(Params):
    bytes: int
    output_shape: tuple[int, ...] = reference_only()


class ViewOperator(Operator):
    """The planner makes input and output one buffer; only where it cannot does the kernel copy."""

    types = "any"
    monotone = True

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        return (x.reshape(x.shape[0], *self.infer(view)[0].shape),)

    def prepare(self, view: NodeView) -> ViewParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype is not y.dtype or (x.quantization != y.quantization and _one_scale(view)):
            raise view.error(f"{x.describe()} and {y.describe()} must have one type, scale and zero point")
        return ViewParams(bytes=x.bytes, output_shape=y.shape)

    def run_int(self, params: ViewParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (inputs[0].reshape(inputs[0].shape[0], *params.output_shape),)

    def call(self, view: NodeView, params: ViewParams) -> Call:
        return Call(kernel="copy", params=params, in_place=(0,))


def _one_scale(view: NodeView) -> bool:
    """Whether both sides say a scale at all and these differ in value."""
    qx, qy = view.input(0).quantization, view.outputs[0].quantization
    return False if qx is None or qy is None else (qx.scales, qx.zero_points) != (qy.scales, qy.zero_points)
