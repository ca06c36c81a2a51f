"""The process in which TensorFlow Lite Micro runs: `python -m edgegen.oracle.tflm_worker`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import tflite
from tflite_micro.python.tflite_micro import runtime

from edgegen.codegen.graph import Array
from edgegen.oracle.wire import Reply, Request
from edgegen.oracle.worker import serve, stateful


def evaluate(request: Request) -> Reply:
    """Each vector through the interpreter; a new one for each where the model keeps state."""
    model = tflite.Model.GetRootAs(request.model, 0)
    vectors = len(request.inputs[0]) if request.inputs else 1
    renew = not request.sequence and stateful(request.model)
    rows, traced = [], []
    interpreter = _interpreter(request)
    for vector in range(vectors):
        if renew and vector:
            interpreter = _interpreter(request)
        rows.append(_invoke(interpreter, model, [array[vector] for array in request.inputs]))
        if request.trace:
            traced.append(_tensors(interpreter, model))
    tensors = {index: np.stack([row[index] for row in traced]) for index in (traced[0] if traced else {})}
    return Reply(outputs=tuple(np.stack(column) for column in zip(*rows, strict=True)), tensors=tensors)


def _interpreter(request: Request) -> Any:
    kinds = runtime.InterpreterConfig
    kind = kinds.kPreserveAllTensors if request.trace else kinds.kAllocationRecording
    return runtime.Interpreter.from_bytes(
        request.model, arena_size=request.arena_bytes, intrepreter_config=kind
    )


def _invoke(interpreter: Any, model: Any, inputs: Sequence[Array]) -> list[Array]:
    for index, array in enumerate(inputs):
        interpreter.set_input(array, index)
    interpreter.invoke()
    return [interpreter.get_output(index).copy() for index in range(model.Subgraphs(0).OutputsLength())]


def _tensors(interpreter: Any, model: Any) -> dict[int, Array]:
    """Every computed tensor of the main subgraph."""
    graph = model.Subgraphs(0)
    found = {}
    for index in range(graph.TensorsLength()):
        tensor = graph.Tensors(index)
        if model.Buffers(tensor.Buffer()).DataLength() == 0 and tensor.Type() != tflite.TensorType.RESOURCE:
            found[index] = interpreter.GetTensor(index, 0)["tensor_data"].copy()
    return found


if __name__ == "__main__":
    serve(evaluate)
