"""l2_normalization: each vector along the last axis divided by its length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import Int64, requantize
from edgegen.codegen.fixed_functions import inverse_sqrt
from edgegen.codegen.graph import Array, Attributes, DType, Quantization
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType
from edgegen.codegen.ops.common import quantization

OUTPUT_BITS = 7


@dataclass(frozen=True, eq=False)
class L2NormalizationParams(Params):
    rows: int
    depth: int
    input_offset: int


class L2Normalization(Operator):
    name = "l2_normalization"
    tflite = "L2_NORMALIZATION"
    tflite_options = "L2NormOptions"
    constraints = "output scale 1/128 and zero point 0"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x = view.input(0)
        if not x.shape:
            raise view.error(f"takes at least one dimension, got {x.describe()}")
        return (TensorType(x.shape, x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        length = np.sqrt(np.square(x).sum(axis=-1, keepdims=True))
        return ((x / np.maximum(length, 1e-6)).astype(x.dtype),)

    def output_quantization(self, dtype: DType) -> Quantization | None:
        return Quantization((1 / 128,), (0,))

    def prepare(self, view: NodeView) -> L2NormalizationParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype is not DType.INT8 or y.dtype is not DType.INT8:
            raise view.error(f"takes and gives int8, got {x.describe()} and {y.describe()}")
        qx, qy = quantization(view, x), quantization(view, y)
        if qy.scale != 1 / 128 or qy.zero_point != 0:
            raise view.error(
                f"gives scale 1/128 and zero point 0, but {y.describe()} has {qy.scale:g} and "
                f"{qy.zero_point}; requantise after it"
            )
        depth = x.shape[-1]
        if depth * 255**2 >= 2**31:
            raise view.error(f"takes vectors of up to 33,025 numbers, got {x.describe()}")
        return L2NormalizationParams(rows=x.size // depth, depth=depth, input_offset=-qx.zero_point)

    def run_int(self, params: L2NormalizationParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x = inputs[0].astype(np.int64) + params.input_offset
        multiplier, shift = _inverse_lengths(np.square(x).sum(axis=-1, keepdims=True))
        out = requantize(x, multiplier, shift + OUTPUT_BITS)
        return (np.clip(out, -128, 127).astype(np.int8),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="l2_normalization", params=params, in_place=(0,))

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is not None and options.FusedActivationFunction():
            raise view.error("has a fused activation, which TensorFlow Lite Micro does not take either")
        return Attributes()

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"FusedActivationFunction": 0}


OPERATOR = L2Normalization()


def _inverse_lengths(squares: Int64) -> tuple[Int64, Int64]:
    """Multiplier and shift of 1 / sqrt of each sum of squares."""
    different, where = np.unique(squares, return_inverse=True)
    pairs = np.array([inverse_sqrt(int(square)) for square in different], np.int64).reshape(-1, 2)
    found = pairs[where.reshape(squares.shape)]
    return found[..., 0], found[..., 1]
