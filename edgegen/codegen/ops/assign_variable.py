"""assign_variable: a new value for a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType


@dataclass(frozen=True, eq=False)
class AssignVariableParams(Params):
    bytes: int


class AssignVariable(Operator):
    """Input 0 is the state tensor, input 1 its new value."""

    name = "assign_variable"
    tflite = "ASSIGN_VARIABLE"
    tflite_options = "AssignVariableOptions"
    types = "int8, uint8, int16, int32, int64, float32, bool"
    writes = (0,)
    keeps_quantization = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        state, value = view.input(0), view.input(1)
        if not state.state or state.shape != value.shape or state.dtype is not value.dtype:
            raise view.error(
                f"assigns to a state of the value's shape and type, got {state.describe()} "
                f"and {value.describe()}"
            )
        return ()

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        state, value = inputs[0], inputs[1]
        assert state is not None and value is not None
        state[...] = value
        return ()

    def prepare(self, view: NodeView) -> AssignVariableParams:
        state, value = view.input(0), view.input(1)
        if state.quantization != value.quantization and state.quantization is not None:
            raise view.error(
                f"{state.describe()} and {value.describe()} are quantised differently; requantise the value"
            )
        return AssignVariableParams(bytes=state.bytes)

    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        inputs[0][...] = inputs[1]
        return ()

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="assign_variable", params=params, inputs=(0, 1))


OPERATOR = AssignVariable()
