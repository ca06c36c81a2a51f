"""What mean, sum and reduce_max share: axes from a constant, loops over what is kept and what is reduced."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, reference_only
from edgegen.codegen.ops.common import quantization

LOOPS = 6


@dataclass(frozen=True)
class ReductionAttributes(Attributes):
    keep_dims: bool = False


@dataclass(frozen=True, eq=False)
class ReductionParams(Params):
    """Loops over the kept and over the reduced elements, outermost first, with their steps in the input."""

    kept_size: tuple[int, ...]
    kept_step: tuple[int, ...]
    reduced_size: tuple[int, ...]
    reduced_step: tuple[int, ...]
    axes: tuple[int, ...] = reference_only()
    output_shape: tuple[int, ...] = reference_only()


class ReductionOperator(Operator):
    attributes = ReductionAttributes
    tflite_options = "ReducerOptions"
    types: ClassVar[str] = "int8"
    constraints = "axes constant"
    monotone = True

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, axes = view.input(0), axes_of(view)
        keep_dims = attributes_of(view).keep_dims
        shape = tuple(
            1 if axis in axes else size for axis, size in enumerate(x.shape) if keep_dims or axis not in axes
        )
        return (TensorType(shape, x.dtype),)

    def channel_sources(self, view: NodeView) -> Array | None:
        """Channels stay apart as long as the last axis is kept."""
        x = view.input(0)
        if len(x.shape) - 1 in axes_of(view):
            return None
        return np.arange(x.shape[-1])

    def read_options(self, options: Any, view: NodeView) -> ReductionAttributes:
        return ReductionAttributes(keep_dims=options is not None and bool(options.KeepDims()))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"KeepDims": attributes_of(view).keep_dims}

    def call(self, view: NodeView, params: ReductionParams) -> Call:
        return Call(kernel=self.name, params=params)

    def check_types(self, view: NodeView) -> None:
        x, y = view.input(0), view.outputs[0]
        if x.dtype is not DType.INT8 or y.dtype is not x.dtype:
            raise view.error(f"takes int8, got {x.describe()} and {y.describe()}")
        quantization(view, x)
        quantization(view, y)


def attributes_of(view: NodeView) -> ReductionAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, ReductionAttributes)
    return attributes


def axes_of(view: NodeView) -> tuple[int, ...]:
    """The reduced axes, sorted, each once, counted from the front."""
    rank = len(view.input(0).shape)
    given = [int(axis) for axis in np.atleast_1d(view.constant(1, "the axes")).ravel()]
    wrong = [axis for axis in given if not -rank <= axis < rank]
    if wrong:
        raise view.error(f"axes {wrong} are not among the {rank} dimensions of {view.input(0).describe()}")
    return tuple(sorted({axis % rank for axis in given}))


def loops(view: NodeView) -> dict[str, tuple[int, ...]]:
    """The loop members of ReductionParams."""
    x, axes = view.input(0), axes_of(view)
    steps = [int(np.prod(x.shape[axis + 1 :])) for axis in range(len(x.shape))]
    kept = [(s, t) for axis, (s, t) in enumerate(zip(x.shape, steps, strict=True)) if axis not in axes]
    reduced = [(s, t) for axis, (s, t) in enumerate(zip(x.shape, steps, strict=True)) if axis in axes]
    kept_size, kept_step = _merged(view, kept)
    reduced_size, reduced_step = _merged(view, reduced)
    return {
        "kept_size": kept_size,
        "kept_step": kept_step,
        "reduced_size": reduced_size,
        "reduced_step": reduced_step,
    }


def reduced_count(view: NodeView) -> int:
    """How many elements go into one output."""
    return int(np.prod([view.input(0).shape[axis] for axis in axes_of(view)], dtype=np.int64))


def run_axes(params: ReductionParams) -> tuple[int, ...]:
    """The reduced axes of an array with a leading axis of vectors."""
    return tuple(axis + 1 for axis in params.axes)


def shaped(params: ReductionParams, out: Array) -> Array:
    return out.reshape(out.shape[0], *params.output_shape)


def _merged(view: NodeView, pairs: Sequence[tuple[int, int]]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Neighbouring loops of one stride made one, filled up with empty loops on the outside."""
    found: list[tuple[int, int]] = []
    for size, step in pairs:
        if size == 1:
            continue
        if found and found[-1][1] == size * step:
            found[-1] = (found[-1][0] * size, step)
        else:
            found.append((size, step))
    if len(found) > LOOPS:
        raise view.error(f"needs {len(found)} loops, at most {LOOPS} are possible")
    padded = [(1, 0)] * (LOOPS - len(found)) + found
    return tuple(size for size, _ in padded), tuple(step for _, step in padded)
