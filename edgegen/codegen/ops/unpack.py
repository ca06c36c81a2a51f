"""unpack: the slices of a tensor along an axis, each without that axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edgegen.codegen.graph import Attributes
from edgegen.codegen.ops.axes import normal_axis
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.parting import Parting


@dataclass(frozen=True)
class UnpackAttributes(Attributes):
    axis: int = 0


class Unpack(Parting):
    name = "unpack"
    attributes = UnpackAttributes
    tflite = "UNPACK"
    tflite_options = "UnpackOptions"
    keeps_axis = False

    def axis(self, view: NodeView) -> int:
        attributes = view.node.attributes
        assert isinstance(attributes, UnpackAttributes)
        return normal_axis(view, attributes.axis, len(view.input(0).shape))

    def sizes(self, view: NodeView) -> tuple[int, ...]:
        return (1,) * view.input(0).shape[self.axis(view)]

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is None or options.Num() != len(view.outputs):
            raise view.error(f"its options do not speak of {len(view.outputs)} outputs")
        return UnpackAttributes(axis=options.Axis())

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        assert isinstance(view.node.attributes, UnpackAttributes)
        return {"Num": len(view.outputs), "Axis": view.node.attributes.axis}


OPERATOR = Unpack()
