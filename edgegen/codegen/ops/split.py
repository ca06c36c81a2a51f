"""split: equal parts of a tensor along an axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edgegen.codegen.graph import Attributes
from edgegen.codegen.ops.axes import constant_axis
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.parting import Parting, even_parts


@dataclass(frozen=True)
class SplitAttributes(Attributes):
    parts: int = 1


class Split(Parting):
    """Input 0 is the constant axis, input 1 the tensor."""

    name = "split"
    attributes = SplitAttributes
    tflite = "SPLIT"
    tflite_options = "SplitOptions"
    constraints = "the axis constant"
    data = 1

    def axis(self, view: NodeView) -> int:
        return constant_axis(view, 0, len(view.input(1).shape))

    def sizes(self, view: NodeView) -> tuple[int, ...]:
        attributes = view.node.attributes
        assert isinstance(attributes, SplitAttributes)
        return even_parts(view, view.input(1), self.axis(view), attributes.parts)

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is None or options.NumSplits() != len(view.outputs):
            raise view.error(f"its options do not speak of {len(view.outputs)} outputs")
        return SplitAttributes(parts=options.NumSplits())

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"NumSplits": len(view.outputs)}


OPERATOR = Split()
