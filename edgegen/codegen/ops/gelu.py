"""gelu: x times the normal distribution's cumulative function at x, or its approximation by tanh.

TensorFlow Lite Micro has no kernel of it; the int8 table is built as TensorFlow Lite builds such tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Attributes
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.tables import FloatTable

_ERF = np.vectorize(math.erf, otypes=[np.float64])


@dataclass(frozen=True)
class GeluAttributes(Attributes):
    approximate: bool = False


class Gelu(FloatTable):
    name = "gelu"
    attributes = GeluAttributes
    tflite = "GELU"
    tflite_options = "GeluOptions"

    def function(self, view: NodeView, x: Array) -> Array:
        attributes = view.node.attributes
        assert isinstance(attributes, GeluAttributes)
        wide = x.astype(np.float64)
        if attributes.approximate:
            inner = math.sqrt(2.0 / math.pi) * (wide + 0.044715 * wide**3)
            curve = np.tanh(inner)
        else:
            curve = _ERF(wide / math.sqrt(2.0))
        result: Array = 0.5 * wide * (1.0 + curve)
        return result

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        return GeluAttributes(approximate=options is not None and bool(options.Approximate()))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        assert isinstance(view.node.attributes, GeluAttributes)
        return {"Approximate": view.node.attributes.approximate}


OPERATOR = Gelu()
