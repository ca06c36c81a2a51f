"""Odd but legal .tflite files: exactly what TensorFlow Lite Micro makes of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import tflite

from edgegen.codegen import ops
from edgegen.codegen.export.tflite import write_tflite
from edgegen.codegen.graph import DType, Graph, Quantization
from edgegen.codegen.ops.common import Padding
from edgegen.codegen.ops.svdf import SvdfAttributes
from edgegen.frontend.importers.tflite import load_tflite, tensor_index
from tests.exactness import T, assert_exact, assert_exact_file, one_op_graph
from tests.frontend.importers.files import Fields, build, convolution, edited, relus, streaming, tensor

Change = Callable[[Fields], object]


def exact(made: Fields, *, identifier: bytes | None = b"TFL3", sequence: bool = False) -> Graph:
    data = build(made, identifier=identifier)
    return assert_exact_file(data, rng=np.random.default_rng(1), vectors=10, sequence=sequence)


def tensors(made: Fields) -> list[Fields]:
    return made["Subgraphs"][0]["Tensors"]  # type: ignore[no-any-return]


def operators(made: Fields) -> list[Fields]:
    return made["Subgraphs"][0]["Operators"]  # type: ignore[no-any-return]


def test_an_ordinary_file() -> None:
    graph = exact(convolution())
    assert graph.inputs == ("x",) and graph.outputs == ("y",)
    x, w, y = graph.tensors["x"], graph.tensors["w"], graph.tensors["y"]
    assert (x.shape, x.dtype, x.quantization) == ((1, 4, 4, 2), DType.INT8, Quantization((0.5,), (3,)))
    assert w.quantization is not None and w.quantization.per_channel and w.quantization.axis == 0
    assert y.data is None and w.constant
    (node,) = graph.nodes
    assert (node.op, node.inputs, node.outputs) == ("conv2d", ("x", "w", "b"), ("y",))
    assert node.attributes.padding == Padding(1, 1, 1, 1)  # type: ignore[attr-defined]
    assert [tensor_index(graph.tensors[name]) for name in ("x", "w", "b", "y")] == [0, 1, 2, 3]


def old_code(made: Fields) -> None:
    del made["OperatorCodes"][0]["BuiltinCode"]


def new_code(made: Fields) -> None:
    del made["OperatorCodes"][0]["DeprecatedBuiltinCode"]


def behind_the_file(made: Fields) -> bytes:
    """The file with its weights behind the flatbuffer, as large models have them."""
    weights: bytes = made["Buffers"][1]["Data"]
    made["Buffers"][1] = {"Offset": 2, "Size": len(weights)}
    start = len(build(made))
    made["Buffers"][1]["Offset"] = start
    data = build(made)
    assert len(data) == start
    return data + weights


ODD: dict[str, Change] = {
    "the old operator code only": old_code,
    "the new operator code only": new_code,
    "a small number in the old code": lambda m: m["OperatorCodes"][0].update(DeprecatedBuiltinCode=1),
    "no names": lambda m: [item.pop("Name") for item in tensors(m)],
    "one name for all": lambda m: [item.update(Name="same") for item in tensors(m)],
    "strange names": lambda m: [item.update(Name=f"*/\n\x00ü {item['Name']} 'a:c;d'") for item in tensors(m)],
    "an unused tensor that nobody supports": lambda m: tensors(m).append(
        tensor("c", [1], "COMPLEX64", scale=None)
    ),
    "a batch of -1 in the shape's signature": lambda m: tensors(m)[0].update(ShapeSignature=[-1, 4, 4, 2]),
    "dimension 3 of a list": lambda m: tensors(m)[2]["Quantization"].update(QuantizedDimension=3),
    "dimension 2 for a single scale": lambda m: tensors(m)[0]["Quantization"].update(QuantizedDimension=2),
    "another dimension of the weights": lambda m: tensors(m)[1]["Quantization"].update(QuantizedDimension=1),
    "a bias marked absent": lambda m: operators(m)[0].update(Inputs=[0, 1, -1]),
    "a bias left out": lambda m: operators(m)[0].update(Inputs=[0, 1]),
    "more bytes than needed": lambda m: m["Buffers"][1].update(Data=m["Buffers"][1]["Data"] + b"more"),
    "a subgraph that nothing uses": lambda m: m["Subgraphs"].append({**m["Subgraphs"][0], "Name": "spare"}),
    "a description and metadata": lambda m: m.update(
        Description="made by hand", Metadata=[{"Name": "min_runtime_version", "Buffer": 0}]
    ),
    "a dead channel": lambda m: tensors(m)[1]["Quantization"].update(Scale=[0.01, 0.0, 1e-38]),
    "scales of a tenth of nothing": lambda m: tensors(m)[3]["Quantization"].update(Scale=[3e38]),
    "mutating inputs and intermediates": lambda m: operators(m)[0].update(
        MutatingVariableInputs=[False, False, False], Intermediates=[]
    ),
    "minimum and maximum": lambda m: tensors(m)[0]["Quantization"].update(Min=[-1.0], Max=[1.0]),
    "weights of -128": lambda m: m["Buffers"][1].update(Data=b"\x80" * 54),
}  # fmt: skip


@pytest.mark.parametrize("what", ODD)
def test_odd(what: str) -> None:
    exact(edited(convolution(), ODD[what]))


def test_no_identifier() -> None:
    exact(convolution(), identifier=None)
    exact(convolution(), identifier=b"ABCD")


def test_weights_behind_the_flatbuffer() -> None:
    data = behind_the_file(convolution())
    graph, ordinary = load_tflite(data), load_tflite(build(convolution()))
    assert np.array_equal(graph.tensors["w"].data, ordinary.tensors["w"].data)  # type: ignore[arg-type]


def test_names_of_the_signature() -> None:
    signature = {
        "SignatureKey": "serving_default",
        "Inputs": [{"Name": "image", "TensorIndex": 0}],
        "Outputs": [{"Name": "features", "TensorIndex": 3}],
    }
    graph = exact(edited(convolution(), lambda m: m.update(SignatureDefs=[signature])))
    assert graph.inputs == ("image",) and graph.outputs == ("features",)


def test_equal_names_stay_apart() -> None:
    made = edited(convolution(), lambda m: [item.update(Name="same") for item in tensors(m)])
    graph = load_tflite(build(made))
    assert len(graph.tensors) == 4
    assert graph.inputs == ("same",)


def test_constants_that_share_a_buffer() -> None:
    """Two convolutions on one buffer of weights, of which the second takes only the first part."""
    made = convolution()
    tensors(made).extend(
        [
            tensor("w2", [2, 3, 3, 3], scale=0.02, zero_point=0, buffer=1),
            tensor("y2", [1, 4, 4, 2], scale=0.5),
        ]
    )
    operators(made).append({**operators(made)[0], "Inputs": [3, 4], "Outputs": [5]})
    made["Subgraphs"][0]["Outputs"] = [3, 5]
    exact(made)


def test_four_bit_weights() -> None:
    """An odd number of values, two a byte, the lower half first."""
    rng = np.random.default_rng(3)
    values = rng.integers(-8, 8, 54 // 2 * 3 // 3, dtype=np.int8)
    made = convolution()
    packed = (values[0::2] & 15)[:].copy()
    packed[: len(values[1::2])] |= values[1::2] << 4
    tensors(made)[0]["Shape"], tensors(made)[1]["Shape"] = [1, 4, 4, 1], [3, 3, 3, 1]
    tensors(made)[1]["Type"] = tflite.TensorType.INT4
    made["Buffers"][1]["Data"] = packed.tobytes()
    graph = exact(made)
    assert np.array_equal(graph.tensors["w"].data.ravel(), values)  # type: ignore[union-attr]


def test_no_constants_and_no_buffers() -> None:
    exact(relus())
    exact(edited(relus(), lambda m: m.update(Buffers=[{}])))


@pytest.mark.parametrize("outputs", [[2, 0], [1, 2], [2, 2], [0]])
def test_outputs_that_share(outputs: list[int]) -> None:
    """An input, an intermediate result, or another output as an output."""
    made = relus(2)
    made["Subgraphs"][0]["Outputs"] = outputs
    graph = exact(made)
    assert len(set(graph.outputs)) == len(outputs)


def test_a_constant_output() -> None:
    made = relus(1)
    tensors(made).append(tensor("c", [4], buffer=1))
    made["Buffers"].append({"Data": bytes([1, 2, 3, 250])})
    made["Subgraphs"][0]["Outputs"] = [1, 2]
    exact(made)


@pytest.mark.parametrize("start", [None, [1, -2, 3, 127]])
@pytest.mark.parametrize("sequence", [False, True])
def test_variables(start: list[int] | None, sequence: bool) -> None:
    graph = exact(streaming(start), sequence=sequence)
    (state,) = graph.states()
    assert state.name == "v" and state.data is not None
    assert state.data.ravel().tolist() == (start or [3, 3, 3, 3])


@pytest.mark.parametrize("start", [None, [1, -2, 3, 127]])
def test_a_variable_whose_users_claim_different_scales(start: list[int] | None) -> None:
    """Its bytes are copied, and it starts at the zero point of what is assigned first."""
    made = streaming(start)
    tensors(made)[0]["Quantization"].update(Scale=[0.25], ZeroPoint=[-9])
    graph = exact(made, sequence=True)
    (state,) = graph.states()
    assert state.data is not None and state.quantization is None
    assert state.data.ravel().tolist() == (start or [-9] * 4)


def test_state_as_an_output() -> None:
    """An operator's own state is an output too, as it is after the invocation."""
    rng = np.random.default_rng(8)
    weights, time = rng.integers(-127, 128, (4, 3)), rng.integers(-30000, 30000, (4, 2))
    graph = one_op_graph(
        "svdf",
        SvdfAttributes(rank=2),
        [
            T((1, 3), scale=0.5),
            T(data=weights, scale=0.01),
            T(data=time, dtype="int16", scale=0.001),
            T(data=[5, -6], dtype="int32", scale=0.00001),
            T(dtype="int16", scale=0.01, data=np.zeros((1, 8)), state=True),
        ],
        [T(scale=0.5)],
    )
    data = write_tflite(graph.replace(outputs=("out0", "in4")))
    loaded = assert_exact_file(data, rng=rng, sequence=True)
    assert loaded.outputs == ("out0", "in4/output_1")


def test_two_variables_of_one_name() -> None:
    """The container tells them apart; TFLM's Python package counts names only, so our file has two names."""
    made = streaming()
    graph = made["Subgraphs"][0]
    graph["Tensors"] += [tensor("w", [], "RESOURCE", scale=None), tensor("z", [1, 4])]
    graph["Outputs"] = [1, 4]
    options = ("VarHandleOptions", {"SharedName": "v", "Container": "other"})
    graph["Operators"].insert(1, {**graph["Operators"][0], "Outputs": [3], "Options": options})
    graph["Operators"] += [
        {**graph["Operators"][2], "Inputs": [3], "Outputs": [4]},
        {**graph["Operators"][3], "Inputs": [3, 1]},
    ]
    loaded = load_tflite(build(made))
    assert [state.name for state in loaded.states()] == ["v", "v_state"]
    assert_exact(loaded, rng=np.random.default_rng(2), sequence=True)


def test_options_left_out() -> None:
    """Where a file has no options, the schema's defaults count, as in the runtimes."""
    for name, operator in ops.by_tflite_name().items():
        if operator.tflite_options is None or name not in ("ADD", "MUL", "SUB"):
            continue
        made = relus(1)
        made["OperatorCodes"][0].update(
            BuiltinCode=getattr(tflite.BuiltinOperator, name),
            DeprecatedBuiltinCode=getattr(tflite.BuiltinOperator, name),
        )
        operators(made)[0]["Inputs"] = [0, 0]
        exact(made)
