"""The .tflite writer: read back by the schema's readers, by our importer, and run by TFLM."""

from __future__ import annotations

from typing import Any

import flatbuffers
import numpy as np
import pytest
import tflite

from edgegen.codegen.export.form import FormOperator, FormSubgraph, rest_value
from edgegen.codegen.export.tables import DATA_ALIGNMENT, table
from edgegen.codegen.export.tflite import export_tflite, write_form, write_tflite
from edgegen.codegen.graph import DType, Graph, Node, Quantization, Tensor
from edgegen.codegen.ops.common import Padding
from edgegen.codegen.ops.conv2d import Conv2dAttributes
from edgegen.codegen.ops.pools import PoolAttributes
from edgegen.errors import ModelError
from edgegen.frontend.importers.tflite import load_tflite, read_file
from tests.exactness import T, assert_exact, one_op_graph, oracle, uniform

INT8 = np.dtype(np.int8)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def convolution(rng: np.random.Generator, padding: Padding, bias_scale: list[float] | None) -> Graph:
    return one_op_graph(
        "conv2d",
        Conv2dAttributes(padding=padding, stride=(2, 1)),
        [
            T((1, 5, 6, 2), scale=0.5, zero_point=-7),
            T(data=uniform(rng, (3, 3, 2, 2), INT8), scale=[0.01, 0.02, 0.03]),
            T(data=[1, 2, 3], dtype="int32", scale=bias_scale),
        ],
        [T(scale=0.25, zero_point=4)],
    )


def main(data: bytes) -> Any:
    return tflite.Model.GetRootAs(data, 0).Subgraphs(0)


def test_what_the_file_says(rng: np.random.Generator) -> None:
    exported = export_tflite(convolution(rng, Padding(), [0.005, 0.01, 0.015]))
    assert exported.data[4:8] == b"TFL3"
    graph = main(exported.data)
    assert exported.indices == {"in0": 0, "in1": 1, "in2": 2, "out0": 3}
    assert (graph.InputsAsNumpy().tolist(), graph.OutputsAsNumpy().tolist()) == ([0], [3])
    x, w = graph.Tensors(0), graph.Tensors(1)
    assert (x.Name(), x.Type(), x.ShapeAsNumpy().tolist()) == (b"in0", tflite.TensorType.INT8, [1, 5, 6, 2])
    assert (x.Quantization().Scale(0), x.Quantization().ZeroPoint(0)) == (0.5, -7)
    assert w.Quantization().ScaleAsNumpy().tolist() == np.array([0.01, 0.02, 0.03], np.float32).tolist()
    assert w.Quantization().QuantizedDimension() == 0
    (operator,) = [graph.Operators(k) for k in range(graph.OperatorsLength())]
    options = tflite.Conv2DOptions()
    options.Init(operator.BuiltinOptions().Bytes, operator.BuiltinOptions().Pos)
    assert (options.Padding(), options.StrideH(), options.StrideW()) == (1, 2, 1)


def test_the_names_by_which_a_model_is_called(rng: np.random.Generator) -> None:
    file = read_file(write_tflite(convolution(rng, Padding(), None)))
    (signature,) = file.signatures
    assert (signature.key, signature.subgraph) == ("serving_default", 0)
    assert (signature.inputs, signature.outputs) == ((("in0", 0),), (("out0", 3),))


def test_constants_are_aligned(rng: np.random.Generator) -> None:
    data = write_tflite(convolution(rng, Padding(), None))
    model = tflite.Model.GetRootAs(data, 0)
    starts = []
    for index in range(model.BuffersLength()):
        buffer = model.Buffers(index)
        if buffer.DataLength():
            starts.append(data.find(bytes(buffer.DataAsNumpy())))
    assert len(starts) == 2
    assert all(start % DATA_ALIGNMENT == 0 for start in starts)


def test_same_graph_same_bytes(rng: np.random.Generator) -> None:
    graph = convolution(rng, Padding(1, 1, 1, 1), None)
    assert write_tflite(graph) == write_tflite(graph)


def test_a_bias_gets_the_scale_that_readers_check(rng: np.random.Generator) -> None:
    graph = main(write_tflite(convolution(rng, Padding(), None)))
    expected = np.float32(0.5) * np.array([0.01, 0.02, 0.03], np.float32)
    assert graph.Tensors(2).Quantization().ScaleAsNumpy().tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("padding", "operators"),
    [
        (Padding(), 1),
        (Padding(top=1, bottom=1, left=0, right=1), 1),
        (Padding(top=1, bottom=0, left=0, right=1), 2),
        (Padding(top=0, bottom=2, left=2, right=0), 2),
    ],
)
def test_paddings_of_a_convolution(rng: np.random.Generator, padding: Padding, operators: int) -> None:
    """What is neither "same" nor "valid" becomes an operator of its own that pads with the zero point."""
    graph = convolution(rng, padding, None)
    assert main(write_tflite(graph)).OperatorsLength() == operators
    assert_exact(graph, rng=rng, vectors=10)


def pooling(op: str, padding: Padding) -> Graph:
    attributes = PoolAttributes(size=(3, 2), stride=(2, 2), padding=padding)
    x = T((1, 6, 5, 2), scale=0.5, zero_point=9)
    return one_op_graph(op, attributes, [x], [T(scale=0.5, zero_point=9)])


def test_paddings_of_a_maximum(rng: np.random.Generator) -> None:
    """The added elements never win."""
    graph = pooling("max_pool2d", Padding(top=2, bottom=1, left=1, right=0))
    assert main(write_tflite(graph)).OperatorsLength() == 2
    assert_exact(graph, rng=rng, vectors=10)


def test_paddings_of_an_average_cannot_be_written() -> None:
    with pytest.raises(ModelError, match=r"average_pool2d.*has no equivalent"):
        write_tflite(pooling("average_pool2d", Padding(top=2, bottom=1, left=1, right=0)))


def test_back_through_the_importer(rng: np.random.Generator) -> None:
    graph = convolution(rng, Padding(1, 1, 0, 1), [0.005, 0.01, 0.015])
    back = load_tflite(write_tflite(graph), name=graph.name)
    assert (back.inputs, back.outputs) == (graph.inputs, graph.outputs)
    assert [node.replace(source="", name="") for node in back.nodes] == [
        node.replace(source="", name="") for node in graph.nodes
    ]
    for name, tensor in graph.tensors.items():
        other = back.tensors[name]
        assert (other.shape, other.dtype, other.quantization) == (
            tensor.shape,
            tensor.dtype,
            tensor.quantization,
        )
        assert tensor.data is None or np.array_equal(other.data, tensor.data)  # type: ignore[arg-type]
    assert write_tflite(back) == write_tflite(graph)


def test_float_graphs(rng: np.random.Generator) -> None:
    weights = rng.normal(size=(3, 3, 3, 2)).astype(np.float32)
    graph = one_op_graph(
        "conv2d",
        Conv2dAttributes(padding=Padding(1, 1, 1, 1)),
        [T((1, 5, 5, 2), "float32"), T(data=weights, dtype="float32")],
        [T(dtype="float32")],
    )
    x = rng.normal(size=(4, 1, 5, 5, 2)).astype(np.float32)
    (y,) = oracle().run(write_tflite(graph), [x])
    assert y.shape == (4, *graph.output_tensors()[0].shape)
    assert load_tflite(write_tflite(graph)).tensors["in1"].data.tolist() == weights.tolist()  # type: ignore[union-attr]


def test_an_operator_beyond_the_first_128() -> None:
    """Its code goes into the second field, and the first says that there is one."""
    x = Tensor("x", (1, 4), DType.INT8, Quantization((0.5,), (0,)))
    operator = FormOperator("GELU", ("x",), ("y",), "GeluOptions", {"Approximate": False})
    data = write_form([FormSubgraph("main", {"x": x, "y": x.replace(name="y")}, (operator,), ("x",), ("y",))])
    code = tflite.Model.GetRootAs(data, 0).OperatorCodes(0)
    assert (code.BuiltinCode(), code.DeprecatedBuiltinCode()) == (tflite.BuiltinOperator.GELU, 127)


def test_options_of_the_second_union() -> None:
    operator = FormOperator("STABLEHLO_CONCATENATE", (), (), "StablehloConcatenateOptions", {"Dimension": 3})
    written = main(write_form([FormSubgraph("main", {}, (operator,))])).Operators(0)
    assert written.BuiltinOptionsType() == 0
    assert written.BuiltinOptions2Type() == tflite.BuiltinOptions2.StablehloConcatenateOptions


def test_an_unknown_operator_is_a_model_error() -> None:
    node = Node(name="n", op="conv3d", inputs=("x",), outputs=("y",))
    x = Tensor("x", (1,), DType.INT8)
    graph = Graph.build(name="g", tensors=[x, x.replace(name="y")], nodes=[node], inputs=["x"], outputs=["y"])
    with pytest.raises(ModelError, match="unknown operator 'conv3d'"):
        write_tflite(graph)


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("SqueezeOptions", {"SqueezeDims": [1, -2]}),
        ("ReshapeOptions", {"NewShape": np.array([], np.int64)}),
        ("BucketizeOptions", {"Boundaries": [0.5, 1.5]}),
        ("StablehloPadOptions", {"EdgePaddingLow": [1 << 40, -1]}),
        ("VarHandleOptions", {"Container": "", "SharedName": "Ünï"}),
        ("SoftmaxOptions", {"Beta": np.float32(1.5)}),
        ("LSTMOptions", {"CellClip": 2.5, "KernelType": 1, "AsymmetricQuantizeInputs": True}),
    ],
)
def test_tables_of_any_kind(name: str, fields: dict[str, Any]) -> None:
    builder = flatbuffers.Builder(64)
    builder.Finish(table(builder, name, fields).value)
    reader = getattr(tflite, name).GetRootAs(bytes(builder.Output()), 0)
    for key, value in fields.items():
        if isinstance(value, str):
            assert getattr(reader, key)() == value.encode()
        elif isinstance(value, list | np.ndarray):
            read = [getattr(reader, key)(k) for k in range(getattr(reader, f"{key}Length")())]
            assert read == list(value)
        else:
            assert getattr(reader, key)() == value


def test_what_a_reset_writes() -> None:
    int8 = Tensor("s", (1,), DType.INT8, Quantization((0.5,), (-3,)))
    assert rest_value(int8) == -3
    assert rest_value(int8.replace(dtype=DType.INT16)) == 0
    assert rest_value(Tensor("s", (1,), DType.FLOAT32)) == 0
