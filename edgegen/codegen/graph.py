"""The graph: what a frozen model is, before and after quantisation.

A graph is plain frozen data: tensors with static shapes, and nodes in execution order. Float graphs and
integer graphs use the same classes; in an integer graph the tensors carry their quantisation. Passes take a
graph and return another one, and `verify` is run after each.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from dataclasses import replace as dataclass_replace
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


class DType(enum.Enum):
    """Element types, valued by NumPy's name."""

    INT8 = "int8"
    UINT8 = "uint8"
    INT16 = "int16"
    INT32 = "int32"
    INT64 = "int64"
    FLOAT32 = "float32"
    BOOL = "bool"

    @property
    def numpy(self) -> np.dtype[np.generic]:
        return np.dtype(self.value)

    @property
    def bytes(self) -> int:
        return self.numpy.itemsize

    @property
    def c_name(self) -> str:
        """The C type; booleans are one byte, as in TensorFlow Lite Micro."""
        return {"float32": "float", "bool": "uint8_t"}.get(self.value, f"{self.value}_t")


@dataclass(frozen=True)
class Quantization:
    """real = scale * (quantised - zero_point), per tensor or per slice of `axis`.

    Scales hold float32 values exactly (as Python floats).
    """

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int | None = None

    @property
    def scale(self) -> float:
        """The scale of a per-tensor quantisation."""
        return self.scales[0]

    @property
    def zero_point(self) -> int:
        """The zero point of a per-tensor quantisation."""
        return self.zero_points[0]

    @property
    def per_channel(self) -> bool:
        return len(self.scales) > 1


@dataclass(frozen=True, eq=False)
class Tensor:
    """A named value with a static shape.

    A tensor with `data` is a constant, unless `state` is set: then it lives between two invocations and
    `data` is what a reset writes into it. `source` says where it came from (an index in a file, a line).
    """

    name: str
    shape: tuple[int, ...]
    dtype: DType
    quantization: Quantization | None = None
    data: Array | None = field(default=None, repr=False)
    state: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        if self.data is not None:
            if self.data.shape != self.shape or self.data.dtype != self.dtype.numpy:
                raise ValueError(
                    f"tensor '{self.name}': data is {self.data.dtype}{self.data.shape}, "
                    f"declared {self.dtype.value}{self.shape}"
                )
            self.data.setflags(write=False)

    @property
    def constant(self) -> bool:
        return self.data is not None and not self.state

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def bytes(self) -> int:
        return self.size * self.dtype.bytes

    def replace(self, **changes: object) -> Tensor:
        return dataclass_replace(self, **changes)  # type: ignore[arg-type]

    def describe(self) -> str:
        """Short text for messages: name, type and shape."""
        return f"'{self.name}' {self.dtype.value}{list(self.shape)}"


@dataclass(frozen=True)
class Attributes:
    """Base of each operator's attributes: a frozen dataclass beside the operator."""


@dataclass(frozen=True)
class Node:
    """One operator applied to named tensors. An absent optional input is None."""

    name: str
    op: str
    inputs: tuple[str | None, ...]
    outputs: tuple[str, ...]
    attributes: Attributes = field(default_factory=Attributes)
    source: str = ""

    def replace(self, **changes: object) -> Node:
        return dataclass_replace(self, **changes)  # type: ignore[arg-type]


@dataclass(frozen=True, eq=False)
class Graph:
    """Tensors by name and nodes in execution order."""

    name: str
    tensors: Mapping[str, Tensor]
    nodes: tuple[Node, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tensors", MappingProxyType(dict(self.tensors)))

    @staticmethod
    def build(
        *,
        name: str,
        tensors: Iterable[Tensor],
        nodes: Iterable[Node],
        inputs: Iterable[str],
        outputs: Iterable[str],
    ) -> Graph:
        return Graph(
            name=name,
            tensors={tensor.name: tensor for tensor in tensors},
            nodes=tuple(nodes),
            inputs=tuple(inputs),
            outputs=tuple(outputs),
        )

    def node_inputs(self, node: Node) -> tuple[Tensor | None, ...]:
        return tuple(None if name is None else self.tensors[name] for name in node.inputs)

    def node_outputs(self, node: Node) -> tuple[Tensor, ...]:
        return tuple(self.tensors[name] for name in node.outputs)

    def input_tensors(self) -> tuple[Tensor, ...]:
        return tuple(self.tensors[name] for name in self.inputs)

    def output_tensors(self) -> tuple[Tensor, ...]:
        return tuple(self.tensors[name] for name in self.outputs)

    def states(self) -> tuple[Tensor, ...]:
        """State tensors, in order of name."""
        return tuple(self.tensors[name] for name in sorted(self.tensors) if self.tensors[name].state)

    def consumers(self, name: str) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if name in node.inputs)

    def producer(self, name: str) -> Node | None:
        return next((node for node in self.nodes if name in node.outputs), None)

    def replace(self, **changes: object) -> Graph:
        return dataclass_replace(self, **changes)  # type: ignore[arg-type]
