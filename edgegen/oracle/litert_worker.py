"""The process in which LiteRT runs: `python -m edgegen.oracle.litert_worker`."""

from __future__ import annotations

from typing import Any

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from edgegen.codegen.graph import Array
from edgegen.oracle.wire import Reply, Request
from edgegen.oracle.worker import serve, stateful

_RESOLVERS = {
    "default": OpResolverType.AUTO,
    "builtin": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    "reference": OpResolverType.BUILTIN_REF,
}


def evaluate(request: Request) -> Reply:
    """Each vector through the interpreter; a new one for each where the model keeps state."""
    vectors = len(request.inputs[0]) if request.inputs else 1
    renew = not request.sequence and stateful(request.model)
    interpreter = _interpreter(request)
    rows, traced = [], []
    for vector in range(vectors):
        if renew and vector:
            interpreter = _interpreter(request)
        for detail, array in zip(interpreter.get_input_details(), request.inputs, strict=True):
            interpreter.set_tensor(detail["index"], array[vector])
        interpreter.invoke()
        outputs = [detail["index"] for detail in interpreter.get_output_details()]
        rows.append([interpreter.get_tensor(index) for index in outputs])
        if request.trace:
            traced.append(_tensors(interpreter))
    tensors = {index: np.stack([row[index] for row in traced]) for index in (traced[0] if traced else {})}
    return Reply(outputs=tuple(np.stack(column) for column in zip(*rows, strict=True)), tensors=tensors)


def _interpreter(request: Request) -> Any:
    kernels = "builtin" if request.trace and request.kernels == "default" else request.kernels
    interpreter = Interpreter(
        model_content=request.model,
        num_threads=1,
        experimental_op_resolver_type=_RESOLVERS[kernels],
        experimental_preserve_all_tensors=request.trace,
    )
    interpreter.allocate_tensors()
    return interpreter


def _tensors(interpreter: Any) -> dict[int, Array]:
    """Every tensor that has a value: temporary ones have none."""
    found = {}
    for detail in interpreter.get_tensor_details():
        try:
            found[int(detail["index"])] = interpreter.get_tensor(detail["index"])
        except ValueError:
            continue
    return found


if __name__ == "__main__":
    serve(evaluate)
