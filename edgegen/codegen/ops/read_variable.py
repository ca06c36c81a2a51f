"""read_variable: the value of a state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType
from edgegen.codegen.ops.movement import copy_params


class ReadVariable(Operator):
    """Input 0 is the state tensor."""

    name = "read_variable"
    tflite = "READ_VARIABLE"
    tflite_options = "ReadVariableOptions"
    types = "int8, uint8, int16, int32, int64, float32, bool"
    monotone = True
    keeps_quantization = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        state = view.input(0)
        if not state.state:
            raise view.error(f"reads a state, got {state.describe()}")
        return (TensorType(state.shape, state.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        assert inputs[0] is not None
        return (inputs[0].copy(),)

    def prepare(self, view: NodeView) -> Params:
        return copy_params(view.input(0))

    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        # a copy, since the state may change while the value is still in use
        return (inputs[0].copy(),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="copy", params=params)


OPERATOR = ReadVariable()
