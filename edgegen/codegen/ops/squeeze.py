"""squeeze: leaves out axes of size 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edgegen.codegen.graph import Array, Attributes
from edgegen.codegen.ops.axes import normal_axis
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement


@dataclass(frozen=True)
class SqueezeAttributes(Attributes):
    """The axes to leave out; none means all of size 1."""

    axes: tuple[int, ...] = ()


class Squeeze(Movement):
    name = "squeeze"
    attributes = SqueezeAttributes
    tflite = "SQUEEZE"
    tflite_options = "SqueezeOptions"

    def output_shape(self, view: NodeView) -> tuple[int, ...]:
        attributes = view.node.attributes
        assert isinstance(attributes, SqueezeAttributes)
        shape = view.input(0).shape
        axes = {normal_axis(view, axis, len(shape)) for axis in attributes.axes}
        for axis in axes:
            if shape[axis] != 1:
                raise view.error(f"leaves out axis {axis} of {view.input(0).describe()}, whose size is not 1")
        leave = axes or {axis for axis, size in enumerate(shape) if size == 1}
        return tuple(size for axis, size in enumerate(shape) if axis not in leave)

    def move(self, view: NodeView, x: Array) -> Array:
        return x.reshape(x.shape[0], *self.output_shape(view))

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is None or options.SqueezeDimsIsNone():
            return SqueezeAttributes()
        return SqueezeAttributes(axes=tuple(int(axis) for axis in options.SqueezeDimsAsNumpy().reshape(-1)))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        attributes = view.node.attributes
        assert isinstance(attributes, SqueezeAttributes)
        return {"SqueezeDims": list(attributes.axes)}


OPERATOR = Squeeze()
