"""What an operator is: its meaning in floats, its exact meaning in integers, and the C kernel that does it.

An operator lives in one module of this package and ends with `OPERATOR = <Class>()`; nothing else has to
know its name. Arrays that `run_float` and `run_int` take have one leading axis more than the tensor: the
vectors of a batch, so that a thousand inputs go through the reference at NumPy's speed. Constants come with
a leading axis of 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from edgegen.codegen.graph import Array, Attributes, DType, Graph, Node, Quantization, Tensor
from edgegen.errors import ModelError


@dataclass(frozen=True)
class TensorType:
    """What shape inference says of an output."""

    shape: tuple[int, ...]
    dtype: DType


def reference_only() -> Any:
    """A field of Params that the C does not see."""
    return field(metadata={"reference_only": True})


def members(params: Params) -> dict[str, object]:
    """What goes into the C struct, by member."""
    return {
        item.name: getattr(params, item.name)
        for item in fields(params)
        if not item.metadata.get("reference_only", False)
    }


@dataclass(frozen=True, eq=False)
class Params:
    """Base of each kernel's parameters: every integer constant that the kernel needs.

    Field for field the C struct `edgegen_<kernel>_params`: a Python int or float is a scalar member, a
    NumPy array a pointer to a constant array, None a null pointer, a tuple of ints a fixed-size array
    member. A field made by `reference_only()` serves `run_int` alone and is no member.
    """


@dataclass(frozen=True)
class RowInput:
    """Which rows of an input an output row needs: `height` of them from `row * stride - pad_top` on.

    `left_bytes` and `right_bytes` of padding lie beside each row. `beyond`: some rows lie above or below
    the tensor and are padding. `direct`: the rows are read where they are, without padding and without a
    byte beyond their end.
    """

    position: int
    height: int
    stride: int
    pad_top: int
    left_bytes: int = 0
    right_bytes: int = 0
    padding: int = 0
    beyond: bool = False
    direct: bool = False


@dataclass(frozen=True, eq=False)
class RowForm:
    """One row of an output: `edgegen_<function>(&params, rows..., output, scratch)`, declared by `kernel`.h.

    `arrays`: each input is an array of pointers to its rows, else a pointer to its one row.
    `extra_instructions` is about what the whole layer costs more in this form.
    """

    kernel: str
    function: str
    params: Params
    inputs: tuple[RowInput, ...]
    arrays: bool
    scratch_bytes: int = 0
    features: tuple[str, ...] = ()
    extra_instructions: int = 0


@dataclass(frozen=True, eq=False)
class Call:
    """One C function call: `edgegen_<kernel>(&params, inputs..., outputs..., scratch)`.

    `inputs` are the positions of the node's inputs that are passed as pointers, in order; all outputs
    follow, then a scratch pointer when `scratch_bytes` is not 0. `in_place` lists the positions whose buffer
    the first output may share (same first address, each element read before it is written). `features` are
    the parts of the kernel that this call needs, of those that its folder's features.h lists. `rows` is how
    the same layer can be computed row by row, None where it cannot.
    """

    kernel: str
    params: Params
    inputs: tuple[int, ...] = (0,)
    scratch_bytes: int = 0
    in_place: tuple[int, ...] = ()
    features: tuple[str, ...] = ()
    rows: RowForm | None = None


@dataclass(frozen=True)
class NodeView:
    """A node with its tensors at hand."""

    node: Node
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]

    @staticmethod
    def of(graph: Graph, node: Node) -> NodeView:
        return NodeView(node=node, inputs=graph.node_inputs(node), outputs=graph.node_outputs(node))

    def input(self, position: int) -> Tensor:
        """A required input; absent ones are a model error."""
        tensor = self.inputs[position] if position < len(self.inputs) else None
        if tensor is None:
            raise self.error(f"input {position} is missing")
        return tensor

    def optional(self, position: int) -> Tensor | None:
        return self.inputs[position] if position < len(self.inputs) else None

    def constant(self, position: int, what: str) -> Array:
        """The data of an input that must be known at build time."""
        tensor = self.input(position)
        if tensor.data is None or tensor.state:
            raise self.error(f"{what} must be constant, got the computed tensor {tensor.describe()}")
        return tensor.data

    def error(self, text: str) -> ModelError:
        """An error that names the operator and the node."""
        where = f" ({self.node.source})" if self.node.source else ""
        return ModelError(f"{self.node.op} '{self.node.name}'{where}: {text}")


class Operator(ABC):
    """One operator: shape inference, float and integer meaning, kernel call, and its .tflite form."""

    name: ClassVar[str]
    """The graph's name of the operator, and of its module: `conv2d`."""
    attributes: ClassVar[type[Attributes]] = Attributes
    tflite: ClassVar[str | None] = None
    """The name in `tflite.BuiltinOperator`: `CONV_2D`. None where .tflite has no such operator."""
    tflite_options: ClassVar[str | None] = None
    """The options table of the schema: `Conv2DOptions`."""
    types: ClassVar[str] = "int8"
    """Types that work, for the documentation and messages: `int8, int16`."""
    constraints: ClassVar[str] = ""
    """What is asked of shapes and constants, in one sentence."""
    writes: ClassVar[tuple[int, ...]] = ()
    """Positions of state inputs that the kernel changes."""
    monotone: ClassVar[bool] = False
    """No output element ever falls when an input element rises: addition, pooling, movement."""
    keeps_quantization: ClassVar[bool] = False
    """Inputs and outputs must share scale and zero point: pooling, movement."""
    mixes_channels: ClassVar[bool] = False
    """A matrix product over channels: input 1 is weights (out, ..., in), input 2 an int32 bias of (out)."""

    @abstractmethod
    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        """Shapes and types of the outputs. Raises ModelError naming what does not fit."""

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        """The float meaning, used for calibration. Inputs are (V, *shape)."""
        raise view.error("has no float form")

    @abstractmethod
    def prepare(self, view: NodeView) -> Params:
        """Every integer constant of the kernel. Raises ModelError for types and values that cannot work."""

    @abstractmethod
    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """Bit for bit what the kernel does, on the inputs that `call` passes, each (V, *shape).

        A state input is an array of (1, *shape) that is changed in place.
        """

    @abstractmethod
    def call(self, view: NodeView, params: Any) -> Call:
        """The C call to emit."""

    def output_quantization(self, dtype: DType) -> Quantization | None:
        """The only scale and zero point that an output of that type can have; None where any can be."""
        return None

    def channel_sources(self, view: NodeView) -> Array | None:
        """For an operator that keeps channels apart: the input channel of each output channel.

        Channels are the last axis; all computed inputs have the same ones. None where channels mix.
        """
        return None

    def reshaped(self, node: Node, output: Tensor) -> Node:
        """The node for an output that lost channels; operators whose attributes hold a shape change it."""
        return node

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        """Lowest and highest value that each output element can take, given those of the inputs.

        Takes and returns arrays as `run_int` does. The default is exact for a monotone operator and the
        whole range of the type otherwise.
        """
        if self.monotone:
            return self.run_int(params, low), self.run_int(params, high)
        limits: list[Any] = [np.iinfo(tensor.dtype.value) for tensor in view.outputs]
        shapes = [(1, *tensor.shape) for tensor in view.outputs]
        return (
            tuple(
                np.full(shape, limit.min, limit.dtype) for shape, limit in zip(shapes, limits, strict=True)
            ),
            tuple(
                np.full(shape, limit.max, limit.dtype) for shape, limit in zip(shapes, limits, strict=True)
            ),
        )

    def macs(self, view: NodeView) -> int:
        """Multiply-accumulates of one inference."""
        return 0

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        """Attributes from a .tflite options table (a reader of the `tflite` package, None when absent)."""
        return self.attributes()

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        """Fields of the .tflite options table, by the schema's CamelCase names."""
        return {}


def flat(array: Array, dtype: type[np.generic]) -> Array:
    """A constant for a kernel: contiguous, one-dimensional, of the type of the struct's member."""
    return np.ascontiguousarray(array, dtype=dtype).reshape(-1)
