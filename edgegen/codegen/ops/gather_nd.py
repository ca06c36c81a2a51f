"""gather_nd: slices of a tensor at given points of its first axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, reference_only

MOST_AXES = 5


@dataclass(frozen=True, eq=False)
class GatherNdParams(Params):
    """`count` points of `axes` numbers each; `size` and `step` (blocks) of those axes; blocks of bytes."""

    count: int
    axes: int
    size: tuple[int, ...]
    step: tuple[int, ...]
    block: int
    shape: tuple[int, ...] = reference_only()


class GatherNd(Operator):
    """The last axis of input 1 holds the points' coordinates; those out of range are clamped."""

    name = "gather_nd"
    tflite = "GATHER_ND"
    tflite_options = "GatherNdOptions"
    types = "int8, uint8, int16, int32, int64, float32, bool"
    constraints = "points int32 with up to 5 coordinates"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, points = view.input(0), view.input(1)
        if not points.shape or not 1 <= points.shape[-1] <= min(len(x.shape), MOST_AXES):
            raise view.error(
                f"takes points with a coordinate an axis, got {x.describe()}, {points.describe()}"
            )
        shape = (*points.shape[:-1], *x.shape[points.shape[-1] :])
        return (TensorType(shape, x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x, points = inputs[0], inputs[1]
        assert x is not None and points is not None
        return (self.run_int(_params(view), [x, points.astype(np.int32)])[0],)

    def prepare(self, view: NodeView) -> GatherNdParams:
        x, points, y = view.input(0), view.input(1), view.outputs[0]
        if points.dtype is not DType.INT32 or y.dtype is not x.dtype:
            raise view.error(
                f"takes points of int32 and keeps the type, got {points.describe()}, {x.describe()} "
                f"and {y.describe()}"
            )
        params = _params(view)
        if points.constant:
            data = view.constant(1, "the points").reshape(-1, params.axes)
            if data.size and (data.min() < 0 or np.any(data >= np.array(params.size[: params.axes]))):
                raise view.error(f"some points are not within {x.describe()}")
        return params

    def run_int(self, params: GatherNdParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        p = params
        sizes, steps = np.array(p.size[: p.axes]), np.array(p.step[: p.axes])
        points = inputs[1].reshape(len(inputs[1]), p.count, p.axes).astype(np.int64)
        at = (np.clip(points, 0, sizes - 1) * steps).sum(axis=-1)
        blocks = inputs[0].reshape(len(inputs[0]), prod(p.size[: p.axes]), -1)
        vectors = max(len(blocks), len(at))
        rows = np.arange(vectors)[:, np.newaxis]
        blocks = np.broadcast_to(blocks, (vectors, *blocks.shape[1:]))
        return (blocks[rows, np.broadcast_to(at, (vectors, p.count))].reshape(vectors, *p.shape),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="gather_nd", params=params, inputs=(0, 1))


OPERATOR = GatherNd()


def _params(view: NodeView) -> GatherNdParams:
    x, points = view.input(0), view.input(1)
    axes = points.shape[-1]
    size = x.shape[:axes]
    step = [prod(size[axis + 1 :]) for axis in range(axes)]
    missing = MOST_AXES - axes
    return GatherNdParams(
        count=prod(points.shape[:-1]),
        axes=axes,
        size=(*size, *(1,) * missing),
        step=(*step, *(0,) * missing),
        block=prod(x.shape[axes:]) * x.dtype.bytes,
        shape=view.outputs[0].shape,
    )
