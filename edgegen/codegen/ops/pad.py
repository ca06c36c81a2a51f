"""pad: elements of value zero around a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, DType, Tensor
from edgegen.codegen.ops.axes import constant_pairs, speaks_of_channels
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, reference_only
from edgegen.codegen.ops.common import quantization

LOOPS = 6


@dataclass(frozen=True, eq=False)
class PadParams(Params):
    """`size` is the input's, in elements; trailing axes without padding are merged into the last with."""

    size: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    element_bytes: int
    value: int
    shape: tuple[int, ...] = reference_only()


class PadOperator(Operator):
    """Input 1 is a constant (rank, 2) matrix of elements before and after each axis."""

    types = "int8, uint8, int16, int32, float32, bool"
    constraints = "paddings constant, up to 6 dimensions"
    keeps_quantization = True

    def value(self, view: NodeView) -> Array:
        """The value of the padding, of the input's type."""
        x, y = view.input(0), view.outputs[0]
        # TFLM takes the output's zero point of int8 and a plain zero otherwise
        zero = quantization(view, y).zero_point if x.dtype in (DType.INT8, DType.UINT8) else 0
        return np.array(zero, dtype=x.dtype.numpy)

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x = view.input(0)
        pairs = _pairs(view)
        shape = tuple(n + before + after for n, (before, after) in zip(x.shape, pairs, strict=True))
        return (TensorType(shape, x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        assert inputs[0] is not None
        return (np.pad(inputs[0], ((0, 0), *_pairs(view)), constant_values=self.float_value(view)),)

    def float_value(self, view: NodeView) -> float:
        return 0.0

    def prepare(self, view: NodeView) -> PadParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype is DType.INT64 or y.dtype is not x.dtype:
            raise view.error(f"takes {self.types}, got {x.describe()} and {y.describe()}")
        size, pairs = _merged(x, _pairs(view))
        if len(size) > LOOPS:
            raise view.error(f"takes up to {LOOPS} dimensions, got {x.describe()}")
        missing = LOOPS - len(size)
        return PadParams(
            size=(*(1,) * missing, *size),
            before=(*(0,) * missing, *(pair[0] for pair in pairs)),
            after=(*(0,) * missing, *(pair[1] for pair in pairs)),
            element_bytes=x.dtype.bytes,
            value=_bits(self.value(view)),
            shape=y.shape,
        )

    def run_int(self, params: PadParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        x = inputs[0]
        vectors = x.shape[0]
        bits = np.ascontiguousarray(x).view(f"i{params.element_bytes}").reshape(vectors, *params.size)
        pairs = tuple(zip(params.before, params.after, strict=True))
        value = np.array(params.value, np.int64).astype(bits.dtype)
        padded = np.pad(bits, ((0, 0), *pairs), constant_values=value)
        return (padded.view(x.dtype).reshape(vectors, *params.shape),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="pad", params=params)

    def channel_sources(self, view: NodeView) -> Array | None:
        x = view.input(0)
        if not x.shape or _pairs(view)[-1] != (0, 0) or speaks_of_channels(view, x.shape[-1]):
            return None
        return np.arange(x.shape[-1])

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        return self.run_int(params, low), self.run_int(params, high)


class Pad(PadOperator):
    name = "pad"
    tflite = "PAD"
    tflite_options = "PadOptions"


OPERATOR = Pad()


def _pairs(view: NodeView) -> tuple[tuple[int, int], ...]:
    return constant_pairs(view, 1, "paddings", len(view.input(0).shape))


def _merged(x: Tensor, pairs: Sequence[tuple[int, int]]) -> tuple[list[int], list[tuple[int, int]]]:
    """Each axis without padding joins the one before it, whose padding grows with it."""
    sizes: list[int] = []
    merged: list[tuple[int, int]] = []
    for size, pair in zip(x.shape, pairs, strict=True):
        if sizes and pair == (0, 0):
            sizes[-1] *= size
            merged[-1] = (merged[-1][0] * size, merged[-1][1] * size)
        else:
            sizes.append(size)
            merged.append(pair)
    return sizes, merged


def _bits(value: Array) -> int:
    """The value's bits as a signed integer."""
    return int(np.atleast_1d(value).view(f"i{value.itemsize}")[0])
