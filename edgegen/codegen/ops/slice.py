"""slice: a box of elements from a tensor."""

from __future__ import annotations

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.axes import per_axis
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement


class Slice(Movement):
    """Input 1 holds where the box begins, input 2 how large it is (-1: to the end), both constant."""

    name = "slice"
    tflite = "SLICE"
    tflite_options = "SliceOptions"
    constraints = "begin and size constant"

    def move(self, view: NodeView, x: Array) -> Array:
        shape = view.input(0).shape
        begin = per_axis(view, 1, "the begin", len(shape))
        size = per_axis(view, 2, "the size", len(shape))
        ends = [b + n if n != -1 else full for b, n, full in zip(begin, size, shape, strict=True)]
        for b, end, full in zip(begin, ends, shape, strict=True):
            if not 0 <= b <= end <= full:
                raise view.error(f"takes {b} to {end} of {full} elements of {view.input(0).describe()}")
        return x[(slice(None), *(slice(b, end) for b, end in zip(begin, ends, strict=True)))]


OPERATOR = Slice()
