"""reshape: the same elements in another shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edgegen.codegen.graph import Array, Attributes, Node, Tensor
from edgegen.codegen.ops.axes import constant_integers, resolved_shape
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement


@dataclass(frozen=True)
class ReshapeAttributes(Attributes):
    """The shape of the output; one size may be -1. Without it the second input, a constant, gives it."""

    shape: tuple[int, ...] | None = None


class Reshape(Movement):
    name = "reshape"
    attributes = ReshapeAttributes
    tflite = "RESHAPE"
    tflite_options = "ReshapeOptions"
    constraints = "the shape constant"
    any_channels = True

    def output_shape(self, view: NodeView) -> tuple[int, ...]:
        attributes = view.node.attributes
        assert isinstance(attributes, ReshapeAttributes)
        shape = attributes.shape
        if shape is None:
            shape = constant_integers(view, 1, "the shape")
        return resolved_shape(view, shape, view.input(0).size)

    def move(self, view: NodeView, x: Array) -> Array:
        return x.reshape(x.shape[0], *self.output_shape(view))

    def reshaped(self, node: Node, output: Tensor) -> Node:
        return node.replace(inputs=node.inputs[:1], attributes=ReshapeAttributes(shape=output.shape))

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        """A constant second input counts more than the options; a lone 0 there means a scalar."""
        if view.optional(1) is not None and view.input(1).constant:
            shape = constant_integers(view, 1, "the shape")
        elif view.optional(1) is not None:
            # TFLM goes by the output's own shape
            shape = view.outputs[0].shape
        elif options is None or options.NewShapeIsNone():
            raise view.error("has no shape, neither as an option nor as a second input")
        else:
            shape = tuple(int(size) for size in options.NewShapeAsNumpy().reshape(-1))
        scalar = shape == (0,) and view.input(0).size == 1
        return ReshapeAttributes(shape=() if scalar else resolved_shape(view, shape, view.input(0).size))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"NewShape": list(self.output_shape(view))}


OPERATOR = Reshape()
