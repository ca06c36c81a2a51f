"""What operators of data movement and elementwise functions refuse, and that the message says enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from edgegen.codegen.graph import Attributes
from edgegen.codegen.ops.concatenation import ConcatenationAttributes
from edgegen.codegen.ops.mirror_pad import MirrorPadAttributes
from edgegen.codegen.ops.reshape import ReshapeAttributes
from edgegen.codegen.ops.resizing import ResizeAttributes
from edgegen.codegen.ops.split import SplitAttributes
from edgegen.codegen.ops.squeeze import SqueezeAttributes
from edgegen.codegen.reference import Reference
from edgegen.errors import ModelError
from tests.codegen.ops.checks import integers
from tests.exactness import T, one_op_graph

X = T((2, 6), scale=0.1)
Y = T(scale=0.1)
IMAGE = T((1, 4, 6, 3), scale=0.1)
CASES: Sequence[tuple[str, Attributes | None, list[T], str]] = [
    ("reshape", ReshapeAttributes((5, -1)), [X], r"12 elements of 'in0' int8\[2, 6\] do not fill \[5, -1\]"),
    ("reshape", ReshapeAttributes((-1, -1)), [X], "do not fill"),
    ("reshape", None, [X], "input 1 is missing"),
    ("reshape", None, [X, T((2,), "int32")], "the shape must be constant"),
    ("squeeze", SqueezeAttributes((1,)), [X], "whose size is not 1"),
    ("expand_dims", None, [X, integers(4)], "axis 4 is not one of 3 dimensions"),
    (
        "concatenation",
        ConcatenationAttributes(0),
        [X, T((2, 5), scale=0.1)],
        "differ in type or beside axis 0",
    ),
    ("concatenation", ConcatenationAttributes(2), [X, X], "axis 2 is not one of 2 dimensions"),
    ("concatenation", ConcatenationAttributes(0), [X, T((2, 6), scale=0.2)], "requantise the input first"),
    ("pack", None, [X, T((2, 6), "int16", 0.1)], "differ in shape or type"),
    ("pack", None, [X, T((2, 6), scale=0.1, zero_point=1)], "requantise the input first"),
    ("split", SplitAttributes(4), [integers(1), X], "does not divide into 4 equal parts"),
    ("split_v", None, [X, integers([2, 3]), integers(1)], r"sizes \[2, 3\] do not make up the 6"),
    ("slice", None, [X, integers([0, 2]), integers([2, 5])], "takes 2 to 7 of 6 elements"),
    ("slice", None, [X, integers([0]), integers([2])], "the begin takes 2 numbers"),
    ("strided_slice", None, [X, *[integers([0, 0])] * 2, integers([1, 0])], "takes no element of axis 0"),
    ("transpose", None, [X, integers([0, 0])], "is no order of the 2 axes"),
    ("broadcast_to", None, [X, integers([3, 6])], "does not broadcast to"),
    ("tile", None, [X, integers([1, 0])], "repeats at least once"),
    ("pad", None, [X, integers([[0, 0], [-1, 0]])], "pairs of numbers from 0 on"),
    ("pad", None, [X, integers([[0, 0]])], "takes 2 pairs"),
    (
        "mirror_pad",
        MirrorPadAttributes("reflect"),
        [X, integers([[2, 0], [0, 0]])],
        "more than the mirror image",
    ),
    ("space_to_depth", None, [T((1, 3, 4, 2), scale=0.1)], "do not divide into squares"),
    ("depth_to_space", None, [IMAGE], "3 channels do not fill squares"),
    ("space_to_batch_nd", None, [IMAGE, integers([3, 2]), integers([[0, 0]] * 2)], "are no blocks of 3"),
    ("batch_to_space_nd", None, [IMAGE, integers([2, 1]), integers([[0, 0]] * 2)], "are no blocks of"),
    ("resize_bilinear", ResizeAttributes(True, True), [IMAGE, integers([8, 8])], "not both"),
    ("resize_bilinear", None, [IMAGE, integers([0, 8])], "a size from 1 on"),
    ("maximum", None, [X, T((3,), scale=0.1)], "do not broadcast"),
    ("equal", None, [T((2,), scale=1.5), T((2,), scale=0.5)], "at scales from 2"),
    ("log_softmax", None, [X], "gives scale 1/16 and zero point 127"),
    ("l2_normalization", None, [X], "gives scale 1/128 and zero point 0"),
    ("hard_swish", None, [T((2,), scale=100.0)], "takes an output scale of at least 1/128"),
    ("cumsum", None, [T((2,), scale=1e6), integers(0)], "too small for an input scale"),
    ("arg_max", None, [X, integers([0, 1])], "takes one axis"),
    ("gather", None, [X, T((2,), "int64")], "positions of int32"),
    ("gather_nd", None, [X, integers([[0, 6]])], "some points are not within"),
    ("select_v2", None, [X, X, X], "takes bool with"),
    ("relu", None, [T((2,), scale=None)], "quantise the model first"),
    ("cast", None, [T((2,), "int64")], "takes and gives float32"),
]


@pytest.mark.parametrize(("op", "attributes", "inputs", "said"), CASES)
def test_refusal(op: str, attributes: Attributes | None, inputs: list[T], said: str) -> None:
    outputs = {"unpack": 2, "split": 4, "split_v": 2}.get(op, 1)
    types = {"equal": "bool", "arg_max": "int32", "cast": "int32"}
    y = T(None, types.get(op, "int8"), 0.1)
    with pytest.raises(ModelError, match=said) as caught:
        Reference(one_op_graph(op, attributes, inputs, [y] * outputs))
    assert str(caught.value).startswith(f"{op} '{op}': ")


def test_a_constant_of_floats_names_no_axis() -> None:
    with pytest.raises(ModelError, match="must be integers"):
        one_op_graph("transpose", None, [X, T(dtype="float32", data=np.array([0.0, 1.0]))], [Y])
