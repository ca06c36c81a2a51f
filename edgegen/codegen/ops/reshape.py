"""reshape: the same elements under another shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Attributes, Node, Tensor
from edgegen.codegen.ops.base import NodeView, TensorType
from edgegen.codegen.ops.views import ViewOperator


@dataclass(frozen=True)
class ReshapeAttributes(Attributes):
    """The new shape; one -1 stands for what is left. None: the shape is the constant second input."""

    shape: tuple[int, ...] | None = None


class Reshape(ViewOperator):
    name = "reshape"
    attributes = ReshapeAttributes
    tflite = "RESHAPE"
    tflite_options = "ReshapeOptions"

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, shape = view.input(0), list(_shape(view))
        open_axes = [axis for axis, size in enumerate(shape) if size == -1]
        known = int(np.prod([size for size in shape if size != -1], dtype=np.int64))
        if len(open_axes) == 1 and known > 0 and x.size % known == 0:
            shape[open_axes[0]] = x.size // known
        elif open_axes or known != x.size or min(shape, default=1) < 0:
            raise view.error(f"{x.describe()} has {x.size} elements, which do not fill the shape {shape}")
        return (TensorType(tuple(shape), x.dtype),)

    def reshaped(self, node: Node, output: Tensor) -> Node:
        attributes = node.attributes
        assert isinstance(attributes, ReshapeAttributes)
        return node.replace(inputs=node.inputs[:1], attributes=replace(attributes, shape=output.shape))

    def channel_sources(self, view: NodeView) -> Array | None:
        """Flattened channels repeat with the input's last axis."""
        x, y = view.input(0), view.outputs[0]
        if not x.shape or not y.shape or y.shape[-1] == 0 or y.shape[-1] % x.shape[-1]:
            return None
        return np.arange(y.shape[-1]) % x.shape[-1]

    def read_options(self, options: Any, view: NodeView) -> ReshapeAttributes:
        """A constant second input goes before the options, as in TFLM."""
        if view.optional(1) is not None or options is None or options.NewShapeIsNone():
            return ReshapeAttributes()
        return ReshapeAttributes(shape=tuple(int(size) for size in options.NewShapeAsNumpy()))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"NewShape": list(view.outputs[0].shape)}


OPERATOR = Reshape()


def _shape(view: NodeView) -> Sequence[int]:
    attributes = view.node.attributes
    assert isinstance(attributes, ReshapeAttributes)
    if attributes.shape is not None:
        return attributes.shape
    if view.optional(1) is None:
        raise view.error("says no shape, neither in its options nor as a second input")
    return [int(size) for size in np.atleast_1d(view.constant(1, "the shape")).ravel()]
