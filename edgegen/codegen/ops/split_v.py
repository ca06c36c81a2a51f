"""split_v: parts of given sizes of a tensor along an axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgegen.codegen.graph import Attributes
from edgegen.codegen.ops.axes import constant_axis, constant_integers
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.parting import Parting


class SplitV(Parting):
    """Input 1 holds the constant sizes, one of them -1 for what is left; input 2 the constant axis."""

    name = "split_v"
    tflite = "SPLIT_V"
    tflite_options = "SplitVOptions"
    constraints = "sizes and axis constant"

    def axis(self, view: NodeView) -> int:
        return constant_axis(view, 2, len(view.input(0).shape))

    def sizes(self, view: NodeView) -> tuple[int, ...]:
        sizes = constant_integers(view, 1, "the sizes")
        total = view.input(0).shape[self.axis(view)]
        known = sum(size for size in sizes if size != -1)
        if sizes.count(-1) == 1 and 0 <= known <= total:
            return tuple(total - known if size == -1 else size for size in sizes)
        if min(sizes, default=-1) < 0 or known != total:
            raise view.error(f"sizes {list(sizes)} do not make up the {total} of {view.input(0).describe()}")
        return sizes

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is not None and options.NumSplits() != len(view.outputs):
            raise view.error(f"its options do not speak of {len(view.outputs)} outputs")
        return Attributes()

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"NumSplits": len(view.outputs)}


OPERATOR = SplitV()
