""".tflite files from nested dictionaries with the schema's field names, so that a test can say anything.

data = build(edited(convolution(), lambda m: m["Subgraphs"][0]["Tensors"][0].update(Shape=[1, -1])))
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import flatbuffers
import numpy as np
import tflite

from edgegen.codegen.export.tables import Offset, table

Fields = dict[str, Any]

CHILDREN = {
    "OperatorCodes": "OperatorCode",
    "Subgraphs": "SubGraph",
    "Buffers": "Buffer",
    "SignatureDefs": "SignatureDef",
    "Metadata": "Metadata",
    "Tensors": "Tensor",
    "Operators": "Operator",
    "Quantization": "QuantizationParameters",
    "Sparsity": "SparsityParameters",
}
"""The table of each field that holds tables; those of a signature depend on where they are."""


def build(model: Fields, *, identifier: bytes | None = b"TFL3") -> bytes:
    """The file of a `Model`. An operator's options are `Options=("Conv2DOptions", {...})`."""
    builder = flatbuffers.Builder(1024)
    builder.Finish(_table(builder, "Model", model).value, identifier)
    return bytes(builder.Output())


def _table(builder: flatbuffers.Builder, name: str, fields: Fields) -> Offset:
    ready: Fields = {}
    for key, value in fields.items():
        child = "TensorMap" if name == "SignatureDef" else CHILDREN.get(key)
        if key == "Options":
            ready |= _options(builder, *value)
        elif child is not None and isinstance(value, dict):
            ready[key] = _table(builder, child, value)
        elif child is not None and isinstance(value, list) and all(isinstance(item, dict) for item in value):
            ready[key] = [_table(builder, child, item) for item in value]
        else:
            ready[key] = value
    return table(builder, name, ready)


def _options(builder: flatbuffers.Builder, name: str, fields: Fields) -> Fields:
    union = "BuiltinOptions" if hasattr(tflite.BuiltinOptions, name) else "BuiltinOptions2"
    kind = getattr(getattr(tflite, union), name)
    return {f"{union}Type": kind, union: table(builder, name, fields)}


def edited(model: Fields, change: Callable[[Any], object]) -> Fields:
    """A deep copy after `change` was applied to it."""
    made = copy.deepcopy(model)
    change(made)
    return made


def code(name: str, custom: str | None = None) -> Fields:
    number = getattr(tflite.BuiltinOperator, name)
    return {"DeprecatedBuiltinCode": min(number, 127), "BuiltinCode": number, "CustomCode": custom}


def tensor(
    name: str,
    shape: list[int],
    kind: str = "INT8",
    *,
    scale: float | list[float] | None = 0.5,
    zero_point: int = 3,
    buffer: int = 0,
    **more: Any,
) -> Fields:
    """A tensor with per-tensor quantisation unless `scale` is a list or None."""
    fields: Fields = {
        "Shape": shape,
        "Type": getattr(tflite.TensorType, kind),
        "Name": name,
        "Buffer": buffer,
    }
    if scale is not None:
        scales = scale if isinstance(scale, list) else [scale]
        fields["Quantization"] = {"Scale": scales, "ZeroPoint": [zero_point] * len(scales)}
    return fields | more


def model(
    *,
    codes: list[Fields],
    tensors: list[Fields],
    operators: list[Fields],
    inputs: list[int],
    outputs: list[int],
    buffers: Sequence[bytes] = (),
) -> Fields:
    """A file of one subgraph. `buffers` follow the empty buffer 0."""
    return {
        "Version": 3,
        "OperatorCodes": codes,
        "Subgraphs": [{"Tensors": tensors, "Operators": operators, "Inputs": inputs, "Outputs": outputs}],
        "Buffers": [{}, *({"Data": data} for data in buffers)],
    }


def convolution() -> Fields:
    """(1, 4, 4, 2) -> conv 3x3 SAME, 3 channels per channel -> (1, 4, 4, 3)."""
    rng = np.random.default_rng(7)
    weights = rng.integers(-127, 128, (3, 3, 3, 2), dtype=np.int8)
    bias = np.array([100, -200, 300], dtype=np.int32)
    scales = [0.01, 0.02, 0.03]
    options = {"Padding": 0, "StrideH": 1, "StrideW": 1, "DilationHFactor": 1, "DilationWFactor": 1}
    return model(
        codes=[code("CONV_2D")],
        tensors=[
            tensor("x", [1, 4, 4, 2]),
            tensor("w", [3, 3, 3, 2], scale=scales, zero_point=0, buffer=1),
            tensor("b", [3], "INT32", scale=[0.5 * s for s in scales], zero_point=0, buffer=2),
            tensor("y", [1, 4, 4, 3], scale=0.25, zero_point=-5),
        ],
        operators=[
            {"OpcodeIndex": 0, "Inputs": [0, 1, 2], "Outputs": [3], "Options": ("Conv2DOptions", options)}
        ],
        inputs=[0],
        outputs=[3],
        buffers=[weights.tobytes(), bias.tobytes()],
    )


def relus(count: int = 2) -> Fields:
    """A chain of RELU."""
    return model(
        codes=[code("RELU")],
        tensors=[tensor(f"t{k}", [1, 6]) for k in range(count + 1)],
        operators=[{"OpcodeIndex": 0, "Inputs": [k], "Outputs": [k + 1]} for k in range(count)],
        inputs=[0],
        outputs=[count],
    )


def streaming(start: list[int] | None = None) -> Fields:
    """y = what x was in the invocation before; the variable starts at `start` or at its zero point."""
    handle = {
        "OpcodeIndex": 0,
        "Inputs": [],
        "Outputs": [2],
        "Options": ("VarHandleOptions", {"SharedName": "v"}),
    }
    made = model(
        codes=[code(name) for name in ("VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "CALL_ONCE")],
        tensors=[tensor("x", [1, 4]), tensor("y", [1, 4]), tensor("v", [], "RESOURCE", scale=None)],
        operators=[
            handle,
            {"OpcodeIndex": 1, "Inputs": [2], "Outputs": [1], "Options": ("ReadVariableOptions", {})},
            {"OpcodeIndex": 2, "Inputs": [2, 0], "Outputs": [], "Options": ("AssignVariableOptions", {})},
        ],
        inputs=[0],
        outputs=[1],
    )
    if start is not None:
        once = {
            "OpcodeIndex": 3,
            "Inputs": [],
            "Outputs": [],
            "Options": ("CallOnceOptions", {"InitSubgraphIndex": 1}),
        }
        made["Subgraphs"][0]["Operators"].insert(0, once)
        made["Buffers"].append({"Data": np.array(start, np.int8).tobytes()})
        made["Subgraphs"].append(
            {
                "Tensors": [tensor("start", [1, 4], buffer=1), tensor("v", [], "RESOURCE", scale=None)],
                "Operators": [
                    {**handle, "Outputs": [1]},
                    {"OpcodeIndex": 2, "Inputs": [1, 0], "Outputs": []},
                ],
                "Inputs": [],
                "Outputs": [],
            }
        )
    return made
