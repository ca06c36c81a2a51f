"""Inspection of .tflite files, usable or not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edgegen.codegen.inspect import as_json, inspect_tflite
from edgegen.errors import ModelError
from tests.frontend.importers.files import Fields, build, code, convolution, edited, tensor


def written(path: Path, made: Fields) -> Path:
    file = path / "kws.tflite"
    file.write_bytes(build(made))
    return file


def test_a_model_that_can_be_used(tmp_path: Path) -> None:
    found = inspect_tflite(written(tmp_path, convolution()))
    assert (found.name, found.problems, found.subgraphs) == ("kws", (), 1)
    (x,), (y,) = found.inputs, found.outputs
    assert (x.name, x.shape, x.type, x.scales, x.zero_points) == ("x", (1, 4, 4, 2), "int8", (0.5,), (3,))
    assert (y.index, y.constant) == (3, False)
    (operator,) = found.operators
    assert (operator.name, operator.problem) == ("CONV_2D", None)
    assert operator.macs == found.macs == 4 * 4 * 3 * (3 * 3 * 2)
    assert operator.parameters == found.parameters == 54 + 3
    assert found.parameter_bytes == 54 + 3 * 4


def test_what_cannot_be_used_and_why(tmp_path: Path) -> None:
    def change(m: Fields) -> None:
        subgraph = m["Subgraphs"][0]
        m["OperatorCodes"].append(code("CUSTOM", "Mystery"))
        subgraph["Tensors"] += [tensor("z", [1, 4]), tensor("s", [2], "STRING", scale=None)]
        subgraph["Operators"].append({"OpcodeIndex": 1, "Inputs": [3, -1], "Outputs": [4]})
        subgraph["Operators"].append({**subgraph["Operators"][0], "Inputs": [5, 1], "Outputs": [3]})

    found = inspect_tflite(written(tmp_path, edited(convolution(), change)))
    good, custom, text = found.operators
    assert good.problem is None and good.macs
    assert (custom.name, custom.problem, custom.macs) == ("custom 'Mystery'", "not supported", None)
    assert custom.inputs[1] is None
    assert text.problem == "one of its tensors is not supported"
    assert text.parameters == 0, "its weights were counted with the first operator"
    assert any("Mystery" in problem for problem in found.problems)
    assert any("string" in problem for problem in found.problems)


def test_the_problem_of_one_operator(tmp_path: Path) -> None:
    wrong = edited(convolution(), lambda m: m["Subgraphs"][0]["Tensors"][3].update(Shape=[1, 4, 4, 9]))
    (operator,) = inspect_tflite(written(tmp_path, wrong)).operators
    assert operator.problem is not None and "the file declares int8[1, 4, 4, 9]" in operator.problem


def test_json(tmp_path: Path) -> None:
    text = as_json(inspect_tflite(written(tmp_path, convolution())))
    read = json.loads(text)
    assert read["operators"][0]["outputs"][0]["shape"] == [1, 4, 4, 3]
    assert read["macs"] == 864


def test_json_of_scales_that_json_has_no_word_for(tmp_path: Path) -> None:
    wrong = edited(
        convolution(),
        lambda m: m["Subgraphs"][0]["Tensors"][0]["Quantization"].update(Scale=[float("nan")]),
    )
    text = as_json(inspect_tflite(written(tmp_path, wrong)))
    assert json.loads(text, parse_constant=pytest.fail)["inputs"][0]["scales"] == [None]


def test_no_tflite_file(tmp_path: Path) -> None:
    file = tmp_path / "x.tflite"
    file.write_bytes(b"hello")
    with pytest.raises(ModelError, match="not a usable"):
        inspect_tflite(file)


def test_operators_newer_than_the_schema(tmp_path: Path) -> None:
    newer = edited(convolution(), lambda m: m["OperatorCodes"][0].update(BuiltinCode=4000))
    (operator,) = inspect_tflite(written(tmp_path, newer)).operators
    assert operator.name == "builtin 4000"
