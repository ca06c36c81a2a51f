"""gather: slices of a tensor along an axis, at given positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.axes import normal_axis
from edgegen.codegen.ops.base import Call, NodeView, Params, TensorType, reference_only
from edgegen.codegen.ops.movement import (
    CopyNdParams,
    CopyParams,
    Movement,
    RemapParams,
    element_numbers,
    movement_call,
    movement_params,
    run_movement,
    same_types,
)


@dataclass(frozen=True)
class GatherAttributes(Attributes):
    """The axis that positions run along; the first `batch_dims` axes are those of the positions too."""

    axis: int = 0
    batch_dims: int = 0


@dataclass(frozen=True, eq=False)
class GatherParams(Params):
    """Blocks of bytes: input [batch][outer][size], positions [batch][count], output [batch][outer][count]."""

    batch: int
    outer: int
    size: int
    count: int
    block: int
    shape: tuple[int, ...] = reference_only()


class Gather(Movement):
    """Input 1 holds int32 positions, constant or computed; computed ones out of range are clamped."""

    name = "gather"
    attributes = GatherAttributes
    tflite = "GATHER"
    tflite_options = "GatherOptions"
    constraints = "positions int32"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, positions = view.input(0), view.input(1)
        axis, batch = _axes(view)
        shape = (*x.shape[:axis], *positions.shape[batch:], *x.shape[axis + 1 :])
        return (TensorType(shape, x.dtype),)

    def move(self, view: NodeView, x: Array) -> Array:
        positions = view.constant(1, "the positions")
        return _gathered(view, x, positions[np.newaxis])

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x, positions = inputs[0], inputs[1]
        assert x is not None and positions is not None
        return (_gathered(view, x, positions),)

    def prepare(self, view: NodeView) -> Params:
        x, positions, y = view.input(0), view.input(1), view.outputs[0]
        same_types(view, x)
        axis, batch = _axes(view)
        if positions.dtype is not DType.INT32:
            raise view.error(f"takes positions of int32, got {positions.describe()}")
        if not positions.constant:
            return GatherParams(
                batch=prod(x.shape[:batch]),
                outer=prod(x.shape[batch:axis]),
                size=x.shape[axis],
                count=prod(positions.shape[batch:]),
                block=prod(x.shape[axis + 1 :]) * x.dtype.bytes,
                shape=y.shape,
            )
        _check_positions(view, x.shape[axis])
        # the positions as one axis, since their own axes need not follow any rule
        places = _gathered(view, element_numbers(view), view.constant(1, "the positions")[np.newaxis])
        flat = places.reshape(*x.shape[:axis], -1, *x.shape[axis + 1 :])
        found = movement_params(flat, x.dtype.bytes, fill=0, source=x.size)
        if not isinstance(found, CopyParams | CopyNdParams | RemapParams):
            raise view.error("takes constant positions with batches only if they are the same in each")
        return replace(found, shape=y.shape)

    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        if not isinstance(params, GatherParams):
            return (run_movement(params, inputs[0]),)
        p = params
        x = inputs[0].reshape(len(inputs[0]), p.batch, p.outer, p.size, -1)
        at = np.clip(inputs[1].reshape(len(inputs[1]), p.batch, 1, p.count, 1), 0, p.size - 1)
        vectors = max(len(x), len(at))
        x = np.broadcast_to(x, (vectors, *x.shape[1:]))
        at = np.broadcast_to(at, (vectors, p.batch, p.outer, p.count, 1))
        return (np.take_along_axis(x, at, axis=3).reshape(vectors, *p.shape),)

    def call(self, view: NodeView, params: Any) -> Call:
        if isinstance(params, GatherParams):
            return Call(kernel="gather", params=params, inputs=(0, 1))
        return movement_call(params)

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        if not isinstance(params, GatherParams):
            return super().bounds(view, params, low, high)
        shape, dtype = (1, *params.shape), low[0].dtype
        return (np.full(shape, low[0].min(), dtype),), (np.full(shape, high[0].max(), dtype),)

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is None:
            return GatherAttributes()
        return GatherAttributes(axis=options.Axis(), batch_dims=options.BatchDims())

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        attributes = view.node.attributes
        assert isinstance(attributes, GatherAttributes)
        return {"Axis": attributes.axis, "BatchDims": attributes.batch_dims}


OPERATOR = Gather()


def _axes(view: NodeView) -> tuple[int, int]:
    """The axis and the number of batch axes, both from 0 on."""
    attributes = view.node.attributes
    assert isinstance(attributes, GatherAttributes)
    x, positions = view.input(0), view.input(1)
    axis = normal_axis(view, attributes.axis, len(x.shape))
    batch = attributes.batch_dims + (len(positions.shape) if attributes.batch_dims < 0 else 0)
    if not 0 <= batch <= axis or x.shape[:batch] != positions.shape[:batch]:
        raise view.error(
            f"{attributes.batch_dims} batch axes do not go with axis {axis} of {x.describe()} "
            f"and {positions.describe()}"
        )
    return axis, batch


def _gathered(view: NodeView, x: Array, positions: Array) -> Array:
    """x (V, *shape) at positions (V or 1, *shape)."""
    axis, batch = _axes(view)
    shape = view.input(0).shape
    vectors = max(len(x), len(positions))
    source = np.broadcast_to(x, (vectors, *shape))
    source = source.reshape(vectors, prod(shape[:batch]), prod(shape[batch:axis]), shape[axis], -1)
    at = np.clip(positions.astype(np.int64), 0, shape[axis] - 1)
    at = at.reshape(len(positions), prod(shape[:batch]), 1, -1, 1)
    wide = np.broadcast_to(at, (vectors, *source.shape[1:3], at.shape[3], 1))
    own = view.input(1).shape[batch:]
    taken = np.take_along_axis(source, wide, axis=3)
    return taken.reshape(vectors, *shape[:axis], *own, *shape[axis + 1 :])


def _check_positions(view: NodeView, size: int) -> None:
    positions = view.constant(1, "the positions")
    if positions.size and (positions.min() < 0 or positions.max() >= size):
        raise view.error(f"positions {positions.min()} to {positions.max()} are not all within {size}")
