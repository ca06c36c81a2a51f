"""What a .tflite file says, as plain frozen data, whether or not edgegen can use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class FileQuantization:
    """Scales and zero points as they are in the file, not yet judged."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int


@dataclass(frozen=True, eq=False)
class FileTensor:
    """`kind` is the name of the type in the schema; `data` the bytes of a constant."""

    index: int
    name: str
    shape: tuple[int, ...]
    kind: str
    buffer: int
    data: memoryview | None
    quantization: FileQuantization | None
    variable: bool
    sparse: bool

    def describe(self) -> str:
        return f"tensor {self.index} '{self.name}' {self.kind.lower()}{list(self.shape)}"


@dataclass(frozen=True, eq=False)
class FileOperator:
    """`code` is the schema's name, or `custom 'name'`; a missing optional input is None.

    `options` is the reader of the options table that `options_table` names.
    """

    index: int
    code: str
    inputs: tuple[int | None, ...]
    outputs: tuple[int, ...]
    options_table: str | None
    options: Any

    def describe(self) -> str:
        return f"operator {self.index} {self.code}"


@dataclass(frozen=True, eq=False)
class FileSubgraph:
    index: int
    name: str
    tensors: tuple[FileTensor, ...]
    operators: tuple[FileOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]

    def used(self) -> frozenset[int]:
        """Indices of the tensors that an operator or the interface refers to."""
        named = {*self.inputs, *self.outputs}
        for operator in self.operators:
            named.update(index for index in (*operator.inputs, *operator.outputs) if index is not None)
        return frozenset(named)


@dataclass(frozen=True)
class FileSignature:
    """Names of the inputs and outputs of a subgraph, with their tensor indices."""

    key: str
    subgraph: int
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class File:
    """The whole file. Subgraph 0 is the model."""

    size: int
    description: str
    subgraphs: tuple[FileSubgraph, ...]
    signatures: tuple[FileSignature, ...]

    @property
    def main(self) -> FileSubgraph:
        return self.subgraphs[0]
