"""batch_matmul: matrix products of two computed tensors, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import quantize_multiplier, requantize, wrap32
from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, reference_only
from edgegen.codegen.ops.common import exact_matmul, quantization


@dataclass(frozen=True)
class BatchMatmulAttributes(Attributes):
    """Whether the last two axes of an operand are swapped first."""

    adj_x: bool = False
    adj_y: bool = False


@dataclass(frozen=True, eq=False)
class BatchMatmulParams(Params):
    """Steps between rows, columns and matrices of both operands; a matrix step of 0 repeats one matrix."""

    batches: tuple[int, ...]
    first_batch_step: tuple[int, ...]
    second_batch_step: tuple[int, ...]
    rows: int
    columns: int
    depth: int
    first_row_step: int
    first_depth_step: int
    second_column_step: int
    second_depth_step: int
    first_offset: int
    second_offset: int
    multiplier: int
    shift: int
    output_offset: int
    adj_x: bool = reference_only()
    adj_y: bool = reference_only()
    first_shape: tuple[int, ...] = reference_only()
    second_shape: tuple[int, ...] = reference_only()


BATCH_AXES = 3


class BatchMatmul(Operator):
    name = "batch_matmul"
    attributes = BatchMatmulAttributes
    tflite = "BATCH_MATMUL"
    tflite_options = "BatchMatMulOptions"
    types = "int8"
    constraints = "2 to 5 dimensions; batches broadcast"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, y = view.input(0), view.input(1)
        a = _attributes(view)
        if not 2 <= len(x.shape) <= 2 + BATCH_AXES or not 2 <= len(y.shape) <= 2 + BATCH_AXES:
            raise view.error(f"takes 2 to {2 + BATCH_AXES} dimensions, got {x.describe()} and {y.describe()}")
        (rows, depth), (inner, columns) = _matrix(x.shape, a.adj_x), _matrix(y.shape, a.adj_y)
        if depth != inner:
            raise view.error(f"inner sizes {depth} and {inner} differ: {x.describe()} and {y.describe()}")
        try:
            batches = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
        except ValueError:
            raise view.error(f"the batches of {x.describe()} and {y.describe()} do not broadcast") from None
        return (TensorType((*batches, rows, columns), x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x, y = inputs[0], inputs[1]
        assert x is not None and y is not None
        a = _attributes(view)
        rank = max(len(view.input(0).shape), len(view.input(1).shape))
        return (_oriented(x, a.adj_x, rank) @ _oriented(y, a.adj_y, rank),)

    def prepare(self, view: NodeView) -> BatchMatmulParams:
        x, y, out = view.input(0), view.input(1), view.outputs[0]
        if (x.dtype, y.dtype, out.dtype) != (DType.INT8, DType.INT8, DType.INT8):
            raise view.error(f"takes int8, got {x.describe()}, {y.describe()} and {out.describe()}")
        qx, qy, qo = quantization(view, x), quantization(view, y), quantization(view, out)
        multiplier, shift = quantize_multiplier(qx.scale * qy.scale / qo.scale)
        a = _attributes(view)
        (rows, depth), (_, columns) = _matrix(x.shape, a.adj_x), _matrix(y.shape, a.adj_y)
        batches = (1,) * (BATCH_AXES + 2 - len(out.shape)) + out.shape[:-2]
        return BatchMatmulParams(
            batches=batches,
            first_batch_step=_batch_steps(x.shape),
            second_batch_step=_batch_steps(y.shape),
            rows=rows,
            columns=columns,
            depth=depth,
            first_row_step=1 if a.adj_x else x.shape[-1],
            first_depth_step=x.shape[-1] if a.adj_x else 1,
            second_column_step=y.shape[-1] if a.adj_y else 1,
            second_depth_step=1 if a.adj_y else y.shape[-1],
            first_offset=-qx.zero_point,
            second_offset=-qy.zero_point,
            multiplier=multiplier,
            shift=shift,
            output_offset=qo.zero_point,
            adj_x=a.adj_x,
            adj_y=a.adj_y,
            first_shape=x.shape,
            second_shape=y.shape,
        )

    def run_int(self, params: BatchMatmulParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        rank = max(len(p.first_shape), len(p.second_shape))
        first = _oriented(inputs[0].astype(np.int64) + p.first_offset, p.adj_x, rank)
        second = _oriented(inputs[1].astype(np.int64) + p.second_offset, p.adj_y, rank)
        out = wrap32(requantize(exact_matmul(first, second), p.multiplier, p.shift) + p.output_offset)
        return (np.clip(out, -128, 127).astype(np.int8),)

    def call(self, view: NodeView, params: BatchMatmulParams) -> Call:
        return Call(kernel="batch_matmul", params=params, inputs=(0, 1))

    def macs(self, view: NodeView) -> int:
        return view.outputs[0].size * _matrix(view.input(0).shape, _attributes(view).adj_x)[1]

    def read_options(self, options: Any, view: NodeView) -> BatchMatmulAttributes:
        if options is None:
            return BatchMatmulAttributes()
        return BatchMatmulAttributes(adj_x=bool(options.AdjX()), adj_y=bool(options.AdjY()))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        a = _attributes(view)
        return {"AdjX": a.adj_x, "AdjY": a.adj_y}


OPERATOR = BatchMatmul()


def _attributes(view: NodeView) -> BatchMatmulAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, BatchMatmulAttributes)
    return attributes


def _matrix(shape: Sequence[int], swapped: bool) -> tuple[int, int]:
    return (shape[-1], shape[-2]) if swapped else (shape[-2], shape[-1])


def _oriented(x: Array, swapped: bool, rank: int) -> Array:
    """(V, *shape) as (V, *batches, rows, columns), with ones where the other operand has more axes."""
    wide = x.reshape(x.shape[0], *(1,) * (rank - (x.ndim - 1)), *x.shape[1:])
    return np.swapaxes(wide, -1, -2) if swapped else wide


def _batch_steps(shape: Sequence[int]) -> tuple[int, ...]:
    """Elements to the next matrix along each batch axis; 0 where one is repeated."""
    padded = (1,) * (BATCH_AXES + 2 - len(shape)) + tuple(shape)
    steps = [int(np.prod(padded[axis + 1 :])) for axis in range(BATCH_AXES)]
    return tuple(0 if size == 1 else step for size, step in zip(padded, steps, strict=False))
