"""select_v2: elements of one tensor where a condition is true, of another where it is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, reference_only
from edgegen.codegen.ops.broadcast import LOOPS, aligned


@dataclass(frozen=True, eq=False)
class SelectParams(Params):
    """Loops of the broadcast, outermost first; steps in elements."""

    size: tuple[int, ...]
    condition_step: tuple[int, ...]
    first_step: tuple[int, ...]
    second_step: tuple[int, ...]
    element_bytes: int
    rank: int = reference_only()


class SelectV2(Operator):
    """Inputs are the boolean condition, the numbers where it is true and those where it is not."""

    name = "select_v2"
    tflite = "SELECT_V2"
    tflite_options = "SelectV2Options"
    types = "bool with int8, int16, int32, float32"
    constraints = "the numbers of one quantisation; all broadcast, up to 6 dimensions"
    keeps_quantization = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        shapes = [view.input(position).shape for position in range(3)]
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            raise view.error(f"shapes {', '.join(map(str, shapes))} do not broadcast") from None
        if len(shape) > LOOPS:
            raise view.error(f"broadcasts up to {LOOPS} dimensions, got {len(shape)}")
        return (TensorType(shape, view.input(1).dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        rank = len(view.outputs[0].shape)
        condition, first, second = (aligned(x, rank) for x in inputs if x is not None)
        return (np.where(condition, first, second),)

    def prepare(self, view: NodeView) -> SelectParams:
        condition, first, second, y = view.input(0), view.input(1), view.input(2), view.outputs[0]
        same = {first.dtype, second.dtype} == {y.dtype}
        if condition.dtype is not DType.BOOL or not same or y.dtype is DType.INT64:
            raise view.error(
                f"takes {self.types}, got {condition.describe()}, {first.describe()}, "
                f"{second.describe()} and {y.describe()}"
            )
        if not first.quantization == second.quantization == y.quantization:
            raise view.error(
                f"takes numbers of one quantisation, but those of {first.describe()}, "
                f"{second.describe()} and {y.describe()} differ; requantise first"
            )
        steps = [_steps(view.input(position).shape) for position in range(3)]
        size = (*(1,) * (LOOPS - len(y.shape)), *y.shape)
        return SelectParams(
            size=size,
            condition_step=steps[0],
            first_step=steps[1],
            second_step=steps[2],
            element_bytes=y.dtype.bytes,
            rank=len(y.shape),
        )

    def run_int(self, params: SelectParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        condition, first, second = (aligned(x, params.rank) for x in inputs)
        return (np.where(condition, first, second),)

    def call(self, view: NodeView, params: Any) -> Call:
        shape = view.outputs[0].shape
        same = tuple(position for position in (1, 2) if view.input(position).shape == shape)
        return Call(kernel="select", params=params, inputs=(0, 1, 2), in_place=same)


OPERATOR = SelectV2()


def _steps(operand: Sequence[int]) -> tuple[int, ...]:
    """Elements to the next index of each loop; 0 where the operand is repeated."""
    full = [1] * (LOOPS - len(operand)) + list(operand)
    steps = [int(np.prod(full[axis + 1 :])) for axis in range(LOOPS)]
    return tuple(0 if size == 1 else step for size, step in zip(full, steps, strict=True))
