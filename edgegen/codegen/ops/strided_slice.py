"""strided_slice: elements from begin to end by a stride along each axis, with masks for shorthands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edgegen.codegen.graph import Array, Attributes
from edgegen.codegen.ops.axes import constant_integers
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement


@dataclass(frozen=True)
class StridedSliceAttributes(Attributes):
    """Bits of axes, the first axis the lowest: begin or end left out, or an index that removes the axis."""

    begin_mask: int = 0
    end_mask: int = 0
    shrink_axis_mask: int = 0


class StridedSlice(Movement):
    """Inputs 1 to 3 are constant: begin, end and stride of the first axes; the others are taken whole."""

    name = "strided_slice"
    attributes = StridedSliceAttributes
    tflite = "STRIDED_SLICE"
    tflite_options = "StridedSliceOptions"
    constraints = "begin, end and stride constant; no ellipsis and no new axis"

    def move(self, view: NodeView, x: Array) -> Array:
        attributes = _attributes(view)
        picks = _picks(view, attributes)
        taken = x[(slice(None), *(pick for pick in picks))]
        gone = tuple(axis + 1 for axis in range(len(picks)) if attributes.shrink_axis_mask >> axis & 1)
        return taken.squeeze(gone)

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is None:
            return StridedSliceAttributes()
        if options.EllipsisMask() or options.NewAxisMask():
            raise view.error(
                "has an ellipsis or a new axis, which TensorFlow Lite Micro does not take either"
            )
        if options.Offset():
            # TFLM reads it nowhere and would take other elements than TensorFlow
            raise view.error("counts its ends from the beginnings (offset), which is not supported")
        return StridedSliceAttributes(
            begin_mask=options.BeginMask(),
            end_mask=options.EndMask(),
            shrink_axis_mask=options.ShrinkAxisMask(),
        )

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        attributes = _attributes(view)
        return {
            "BeginMask": attributes.begin_mask,
            "EndMask": attributes.end_mask,
            "ShrinkAxisMask": attributes.shrink_axis_mask,
        }


OPERATOR = StridedSlice()


def _attributes(view: NodeView) -> StridedSliceAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, StridedSliceAttributes)
    return attributes


def _picks(view: NodeView, attributes: StridedSliceAttributes) -> list[slice]:
    shape = view.input(0).shape
    lists = [constant_integers(view, 1 + k, what) for k, what in enumerate(("begin", "end", "the stride"))]
    if len({len(values) for values in lists}) != 1 or len(lists[0]) > len(shape):
        raise view.error(f"begin, end and stride {lists} do not go with {view.input(0).describe()}")
    return [_pick(view, attributes, axis, *numbers) for axis, numbers in enumerate(zip(*lists, strict=True))]


def _pick(
    view: NodeView, attributes: StridedSliceAttributes, axis: int, begin: int, end: int, stride: int
) -> slice:
    """The elements of one axis, in TFLM's order of wrapping, clamping and masks (`strided_slice_logic.h`)."""
    size = view.input(0).shape[axis]
    if stride == 0:
        raise view.error(f"axis {axis} has a stride of 0")
    first = _clamped(begin, size, stride)
    if attributes.begin_mask >> axis & 1:
        first = 0 if stride > 0 else size - 1
    if attributes.shrink_axis_mask >> axis & 1:
        if stride < 0 or not 0 <= first < size:
            raise view.error(f"takes element {begin} of axis {axis} of {view.input(0).describe()}")
        return slice(first, first + 1)
    last = _clamped(end, size, stride)
    if attributes.end_mask >> axis & 1:
        last = size if stride > 0 else -1
    if not len(range(first, last, stride)):
        raise view.error(f"takes no element of axis {axis} of {view.input(0).describe()}")
    return slice(first, None if last < 0 else last, stride)


def _clamped(index: int, size: int, stride: int) -> int:
    """Negative indices count from the end; what is beyond stops at the border."""
    index = index + size if index < 0 else index
    return min(max(index, 0), size) if stride > 0 else min(max(index, -1), size - 1)
