"""logical_not: true where the input is false."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import Int64
from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import NodeView, Params
from edgegen.codegen.ops.tables import Lookup, LookupInt8Params


class LogicalNot(Lookup):
    name = "logical_not"
    tflite = "LOGICAL_NOT"
    tflite_options = "LogicalNotOptions"
    types = "bool"
    accepts = (DType.BOOL,)

    def function(self, view: NodeView, x: Array) -> Array:
        return np.logical_not(x)

    def table(self, view: NodeView) -> Int64:
        inverted: Int64 = (np.arange(256) == 0).astype(np.int64)
        return inverted

    def prepare(self, view: NodeView) -> Params:
        x, y = self.check_types(view)
        return LookupInt8Params(table=self.table(view).astype(np.int8), count=x.size, output=y.dtype.value)

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        return self.run_int(params, high), self.run_int(params, low)


OPERATOR = LogicalNot()
