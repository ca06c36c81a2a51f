"""Broken and hostile .tflite files: each ends in one ModelError, quickly, and nothing else."""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Callable

import flatbuffers
import numpy as np
import pytest
import tflite
from hypothesis import given, settings
from hypothesis import strategies as st

from edgegen.codegen.export.tables import Offset, table
from edgegen.errors import ModelError, UsageError
from edgegen.frontend.importers.tflite import load_tflite, reader, verify
from tests.frontend.importers.files import (
    Fields,
    build,
    code,
    convolution,
    edited,
    model,
    relus,
    streaming,
    tensor,
)

SECONDS = 5.0
"""No file of a few hundred bytes may keep the importer busy for longer."""


def refused(data: bytes) -> str:
    """The message with which a file is refused."""
    start = time.perf_counter()
    with pytest.raises(ModelError) as caught:
        load_tflite(data)
    assert time.perf_counter() - start < SECONDS
    return str(caught.value)


def survives(data: bytes) -> None:
    """A file is either loaded or refused."""
    start = time.perf_counter()
    with contextlib.suppress(ModelError):
        load_tflite(data)
    assert time.perf_counter() - start < SECONDS


def tensors(made: Fields) -> list[Fields]:
    return made["Subgraphs"][0]["Tensors"]  # type: ignore[no-any-return]


def operators(made: Fields) -> list[Fields]:
    return made["Subgraphs"][0]["Operators"]  # type: ignore[no-any-return]


BASES = {
    "convolution": build(convolution()),
    "relus": build(relus()),
    "streaming": build(streaming([1, 2, 3, 4])),
}


# Bytes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("base", BASES)
def test_cut_at_every_length(base: str) -> None:
    data = BASES[base]
    for length in range(len(data)):
        refused(data[:length])


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("value", [0x00, 0xFF, 0x80, 0x7F])
def test_every_byte_replaced(base: str, value: int) -> None:
    data = BASES[base]
    for position in range(len(data)):
        survives(data[:position] + bytes([value]) + data[position + 1 :])


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize("value", [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
def test_every_word_replaced(base: str, value: int) -> None:
    """Lying offsets, lengths, indices and sizes, wherever they are."""
    data = BASES[base]
    for position in range(0, len(data) - 3, 4):
        survives(data[:position] + struct.pack("<I", value) + data[position + 4 :])


@settings(max_examples=300, deadline=None, database=None)
@given(st.sampled_from(sorted(BASES)), st.integers(0, 2**32 - 1), st.integers(1, 12))
def test_random_edits(base: str, seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    data = bytearray(BASES[base])
    for _ in range(count):
        start = int(rng.integers(len(data)))
        if rng.integers(2):
            data[start] ^= 1 << int(rng.integers(8))
        else:
            other = int(rng.integers(len(data)))
            data[start : start + 4] = data[other : other + 4]
    survives(bytes(data))


@settings(max_examples=200, deadline=None, database=None)
@given(st.binary(max_size=300), st.booleans())
def test_arbitrary_bytes(data: bytes, marked: bool) -> None:
    refused(data[:4] + b"TFL3" + data[8:] if marked else data)


@pytest.mark.parametrize(
    ("start", "hint"),
    [
        (b"PK\x03\x04" + bytes(60), "zip archive"),
        (b"\x89HDF\r\n\x1a\n" + bytes(60), "HDF5"),
        (b"\x08\x07\x12\x07pytorch" + bytes(60), "ONNX"),
        (b"", "no TFL3 mark"),
    ],
)
def test_other_kinds_of_files(start: bytes, hint: str) -> None:
    assert hint in refused(start)


# Structure ---------------------------------------------------------------------------------------------


def test_tables_that_are_used_very_often() -> None:
    """16 kB in which the same subgraph and the same operator come again and again, four million in all."""
    builder = flatbuffers.Builder(1024)
    operator = table(builder, "Operator", {"Inputs": [], "Outputs": []})
    subgraph = table(builder, "SubGraph", {"Operators": [operator] * 2000})
    root = table(builder, "Model", {"Version": 3, "Subgraphs": [subgraph] * 2000})
    builder.Finish(root.value, b"TFL3")
    assert "tables" in refused(bytes(builder.Output()))


def test_vectors_that_are_used_very_often() -> None:
    """A long list of numbers that every tensor takes as its shape."""
    builder = flatbuffers.Builder(1024)
    scale = builder.CreateNumpyVector(np.ones(10_000, np.float32))
    quantization = table(builder, "QuantizationParameters", {"Scale": Offset(scale)})
    one = table(builder, "Tensor", {"Shape": [1], "Quantization": quantization})
    subgraph = table(builder, "SubGraph", {"Tensors": [one] * 5000})
    builder.Finish(table(builder, "Model", {"Version": 3, "Subgraphs": [subgraph]}).value, b"TFL3")
    assert "numbers" in refused(bytes(builder.Output()))


def test_operators_that_share_large_constants() -> None:
    """Two thousand convolutions over the same weights: a file of 300 kB that would take 100 MB of work."""
    made = convolution()
    made["Buffers"][1]["Data"] = bytes(54 * 1024)
    operators(made).extend([operators(made)[0]] * 2000)
    assert "bytes of constants" in refused(build(made))


def test_more_operators_than_a_model_has() -> None:
    assert "5000 operators are too many" in refused(build(relus(5000)))


def test_a_long_list_of_problems_is_cut() -> None:
    made = relus(300)
    for item in tensors(made):
        item["Quantization"].update(Scale=[-1.0])
    assert "and 201 more" in refused(build(made))


def test_a_type_that_many_tensors_have_is_one_problem() -> None:
    made = relus(30)
    for item in tensors(made):
        item["Type"] = tflite.TensorType.FLOAT16
    message = refused(build(made))
    assert "type float16 of tensors 0, 1, 2, 3, 4, 5, 6, 7 and 23 more: not supported; convert" in message
    assert message.count("\n") == 1


def test_a_huge_variable_takes_no_memory() -> None:
    """Eight gigabytes of state in a file of some hundred bytes."""
    made = streaming()
    for item in tensors(made)[:2]:
        item.update(Shape=[1, 1 << 30], Type=tflite.TensorType.INT64)
    survives(build(made))


def test_more_tables_than_a_model_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "MAX_TABLES", 10)
    assert "more than 10 tables" in refused(BASES["convolution"])


def test_more_numbers_than_a_model_has(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "MAX_ELEMENTS", 20)
    assert "more than 20 numbers" in refused(BASES["convolution"])


def test_too_large_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_FILE_BYTES", 100)
    assert "too many" in refused(BASES["convolution"])


def test_no_file(tmp_path: object) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        load_tflite(tmp_path / "none.tflite")  # type: ignore[operator]
    with pytest.raises(UsageError, match="cannot be read"):
        load_tflite(tmp_path)  # type: ignore[arg-type]


# What the fields say -----------------------------------------------------------------------------------

Change = Callable[[Fields], object]

WRONG: dict[str, tuple[Change, str]] = {
    "an old schema": (lambda m: m.update(Version=2), "schema version 2"),
    "no subgraphs": (lambda m: m.update(Subgraphs=[]), "no subgraph"),
    "no outputs": (lambda m: m["Subgraphs"][0].update(Outputs=[]), "no outputs"),
    "an output that nothing computes": (
        lambda m: m["Subgraphs"][0].update(Tensors=[*tensors(m), tensor("z", [1])], Outputs=[4]),
        "never computed",
    ),
    "an input index": (lambda m: m["Subgraphs"][0].update(Inputs=[99]), "no tensor 99"),
    "a negative input index": (lambda m: m["Subgraphs"][0].update(Inputs=[-2]), "no tensor -2"),
    "an absent input": (lambda m: m["Subgraphs"][0].update(Inputs=[-1]), "is missing"),
    "an input twice": (lambda m: m["Subgraphs"][0].update(Inputs=[0, 0]), "twice"),
    "a constant input": (lambda m: m["Subgraphs"][0].update(Inputs=[0, 1]), "already has a value"),
    "an operator's input index": (lambda m: operators(m)[0].update(Inputs=[0, 1, 400]), "no tensor 400"),
    "an operator's output index": (lambda m: operators(m)[0].update(Outputs=[4]), "no tensor 4"),
    "an absent output": (lambda m: operators(m)[0].update(Outputs=[-1]), "is missing"),
    "an operator code's index": (lambda m: operators(m)[0].update(OpcodeIndex=7), "operator code 7"),
    "a buffer's index": (lambda m: tensors(m)[1].update(Buffer=9), "buffer 9, of 3"),
    "a short buffer": (lambda m: m["Buffers"][1].update(Data=b"abc"), "takes 54 bytes, its buffer has 3"),
    "an empty buffer": (lambda m: m["Buffers"][1].update(Data=b""), "which nothing computes"),
    "a buffer outside": (
        lambda m: m["Buffers"].__setitem__(1, {"Offset": 1 << 40, "Size": 54}),
        "outside of the file",
    ),
    "a huge buffer": (
        lambda m: m["Buffers"].__setitem__(1, {"Offset": 16, "Size": (1 << 64) - 1}),
        "outside of the file",
    ),
    "a negative size": (lambda m: tensors(m)[0].update(Shape=[1, -4, 4, 2]), "of unknown size"),
    "a huge shape": (lambda m: tensors(m)[0].update(Shape=[2**31 - 1] * 4), "elements"),
    "a huge shape with a zero": (lambda m: tensors(m)[0].update(Shape=[0, 2**31 - 1, 2**31 - 1]), "elements"),
    "a large shape": (
        lambda m: [tensors(m)[k].update(Shape=[1, 4096, 4096, c]) for k, c in ((0, 2), (3, 3))],
        "is too large",
    ),
    "many dimensions": (lambda m: tensors(m)[0].update(Shape=[1] * 9), "9 dimensions"),
    "another shape": (lambda m: tensors(m)[3].update(Shape=[1, 4, 4, 4]), "the file declares"),
    "another output type": (
        lambda m: tensors(m)[3].update(Type=tflite.TensorType.INT16),
        "the file declares",
    ),
    "text": (
        lambda m: tensors(m)[0].update(Type=tflite.TensorType.STRING),
        "type string of tensor 0: not supported",
    ),
    "an unknown type": (lambda m: tensors(m)[0].update(Type=99), "type 99 of tensor 0"),
    "a scale that is no number": (
        lambda m: tensors(m)[0]["Quantization"].update(Scale=[float("nan")]),
        "has the scale nan",
    ),
    "an infinite scale": (
        lambda m: tensors(m)[0]["Quantization"].update(Scale=[float("inf")]),
        "has the scale inf",
    ),
    "a negative scale": (lambda m: tensors(m)[0]["Quantization"].update(Scale=[-1.0]), "has the scale -1"),
    "a scale of zero": (lambda m: tensors(m)[3]["Quantization"].update(Scale=[0.0]), "has the scale 0"),
    "a far zero point": (lambda m: tensors(m)[0]["Quantization"].update(ZeroPoint=[1 << 40]), "zero point"),
    "no zero point": (lambda m: tensors(m)[0]["Quantization"].pop("ZeroPoint"), "1 scales and 0 zero points"),
    "two scales": (
        lambda m: tensors(m)[1]["Quantization"].update(Scale=[1.0] * 5, ZeroPoint=[0] * 5),
        "no dimension of that size",
    ),
    "no scale": (lambda m: tensors(m)[0].pop("Quantization"), "no scale"),
    "sparse weights": (lambda m: tensors(m)[1].update(Sparsity={}), "is sparse"),
    "a stride of zero": (
        lambda m: operators(m)[0].update(Options=("Conv2DOptions", {"StrideH": 0, "StrideW": 1})),
        "conv2d 'y'",
    ),
    "a negative dilation": (
        lambda m: operators(m)[0].update(
            Options=("Conv2DOptions", {"StrideH": 1, "StrideW": 1, "DilationHFactor": -1})
        ),
        "conv2d 'y'",
    ),
    "an unknown activation": (
        lambda m: operators(m)[0]["Options"][1].update(FusedActivationFunction=77),
        "conv2d 'y'",
    ),
    "other options": (
        lambda m: operators(m)[0].update(Options=("SoftmaxOptions", {"Beta": 1.0})),
        "conv2d 'y'",
    ),
    "no inputs": (lambda m: operators(m)[0].update(Inputs=[]), "is missing"),
    "many inputs": (lambda m: operators(m)[0].update(Outputs=[3, 3]), "conv2d 'y'"),
    "a short bias": (
        lambda m: tensors(m)[2].update(Shape=[2], Quantization={"Scale": [0.5], "ZeroPoint": [0]}),
        "takes a bias of 3 values",
    ),
    "a bias of another type": (
        lambda m: tensors(m)[2].update(Type=tflite.TensorType.FLOAT32),
        "takes a bias of int32 with int8 activations",
    ),
    "computed weights": (
        lambda m: (m["Subgraphs"][0].update(Inputs=[0, 1]), tensors(m)[1].update(Buffer=0)),
        "must be constant",
    ),
    "a variable with a value": (
        lambda m: tensors(m)[1].update(IsVariable=True),
        "both a constant and a variable",
    ),
    "a signature's subgraph": (
        lambda m: m.update(SignatureDefs=[{"SignatureKey": "f", "SubgraphIndex": 5}]),
        "of subgraph 5",
    ),
    "a signature's tensor": (
        lambda m: m.update(
            SignatureDefs=[{"SignatureKey": "f", "Inputs": [{"Name": "x", "TensorIndex": 50}]}]
        ),
        "no tensor 50",
    ),
    "a signature of another subgraph": (
        lambda m: (
            m["Subgraphs"].append({**m["Subgraphs"][0]}),
            m.update(SignatureDefs=[{"SignatureKey": "encode", "SubgraphIndex": 1}]),
        ),
        "signature 'encode' is subgraph 1",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong(what: str) -> None:
    change, message = WRONG[what]
    assert message in refused(build(edited(convolution(), change)))


def test_a_depth_multiplier_that_does_not_fit() -> None:
    """TFLM believes it rather than the shapes."""
    made = convolution()
    made["OperatorCodes"] = [code("DEPTHWISE_CONV_2D")]
    tensors(made)[1]["Shape"], tensors(made)[3]["Shape"] = [1, 3, 3, 6], [1, 4, 4, 6]
    tensors(made)[1]["Quantization"] = {"Scale": [0.01], "ZeroPoint": [0]}
    operators(made)[0]["Inputs"] = [0, 1]
    options = {"StrideH": 1, "StrideW": 1, "DepthMultiplier": 3}
    operators(made)[0]["Options"] = ("DepthwiseConv2DOptions", options)
    load_tflite(build(made))
    options["DepthMultiplier"] = 1
    assert "a depth multiplier of 1 does not lead" in refused(build(made))


def test_operators_in_a_circle() -> None:
    made = relus(3)
    operators(made)[0]["Inputs"] = [2]
    assert "only later: not in execution order, or a cycle" in refused(build(made))


def test_a_tensor_computed_twice() -> None:
    made = relus(3)
    operators(made)[2]["Outputs"] = [1]
    message = refused(build(made))
    assert "already has a value" in message
    assert "output tensor 3" in message


def test_everything_unknown_is_listed_at_once() -> None:
    made = model(
        codes=[code("CUSTOM", "Mine"), code("CUSTOM", "FlexErf"), code("RFFT2D"), {"BuiltinCode": 9999}],
        tensors=[tensor(f"t{k}", [1, 6]) for k in range(6)],
        operators=[
            {"OpcodeIndex": index, "Inputs": [k], "Outputs": [k + 1]}
            for k, index in enumerate([0, 1, 2, 0, 3])
        ],
        inputs=[0],
        outputs=[5],
    )
    message = refused(build(made))
    assert "custom 'Mine' (2 times, at 0, 3)" in message
    assert "custom 'FlexErf' (once, at 1)" in message and "SELECT_TF_OPS" in message
    assert "RFFT2D (once, at 2)" in message
    assert "builtin 9999 (once, at 4)" in message


def test_dynamic_range_models() -> None:
    def floats(made: Fields) -> None:
        for index in (0, 3):
            tensors(made)[index] = tensor("t", tensors(made)[index]["Shape"], "FLOAT32", scale=None)
        tensors(made)[2] = tensor("b", [3], "FLOAT32", scale=None, buffer=2)

    message = refused(build(edited(convolution(), floats)))
    assert "float activations with integer weights (once, at 0)" in message
    assert "representative_dataset" in message


def once(index: int) -> Change:
    options = ("CallOnceOptions", {"InitSubgraphIndex": index})
    return lambda m: operators(m)[0].update(Options=options)


def start(m: Fields) -> Fields:
    """The subgraph that CALL_ONCE runs."""
    return m["Subgraphs"][1]  # type: ignore[no-any-return]


VARIABLES: dict[str, tuple[Change, str]] = {
    "another subgraph": (once(9), "subgraph 9"),
    "itself": (once(0), "subgraph 0"),
    "too late": (lambda m: operators(m).append(operators(m).pop(0)), "after an operator that uses"),
    "never assigned": (lambda m: operators(m).pop(3), "never assigned"),
    "another type": (lambda m: tensors(m)[1].update(Type=tflite.TensorType.INT32), "the variable"),
    "another shape": (lambda m: tensors(m)[1].update(Shape=[1, 5]), "the variable"),
    "a handle of another type": (
        lambda m: tensors(m)[2].update(Type=tflite.TensorType.INT8),
        "which is no resource",
    ),
    "a variable as an output": (lambda m: m["Subgraphs"][0].update(Outputs=[1, 2]), "is a variable itself"),
    "no handle": (lambda m: operators(m).pop(1), "which nothing computes"),
    "no name": (lambda m: operators(m)[1].pop("Options"), "no variable's name"),
    "an unused start": (
        lambda m: start(m)["Operators"][0].update(Options=("VarHandleOptions", {"SharedName": "w"})),
        "initialised and never used",
    ),
    "a computed start": (lambda m: start(m)["Tensors"][0].update(Buffer=0), "assigns a computed value"),
    "another operator": (
        lambda m: start(m)["Operators"][1].update(OpcodeIndex=1),
        "READ_VARIABLE in subgraph 1",
    ),
    "a short start": (lambda m: m["Buffers"][1].update(Data=b"ab"), "its buffer has 2"),
    "a start of another shape": (lambda m: start(m)["Tensors"][0].update(Shape=[2, 2]), "initialised with"),
}


@pytest.mark.parametrize("what", VARIABLES)
def test_wrong_variables(what: str) -> None:
    change, message = VARIABLES[what]
    assert message in refused(build(edited(streaming([1, 2, 3, 4]), change)))
