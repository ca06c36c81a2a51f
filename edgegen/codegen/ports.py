"""Inputs and outputs of a model: as the header shows them, and as they lie in a file of vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgegen.codegen.constants import float_literal
from edgegen.codegen.graph import DType, Tensor
from edgegen.codegen.names import unique_identifiers

VECTOR_ALIGNMENT = 16
"""In a file of vectors every tensor starts at a multiple of this, where there are several."""
QUANTIZED = (DType.INT8, DType.UINT8, DType.INT16)


@dataclass(frozen=True)
class Port:
    """An input or output as the header shows it.

    `argument` is its name in C, `macro` the stem of its macros, `offset` its place in a file's vector.
    `scale` is a C literal, None where values are plain numbers; `minimum` and `maximum` then mean nothing.
    """

    name: str
    argument: str
    macro: str
    c_type: str
    count: int
    bytes: int
    offset: int
    shape: str
    scale: str | None
    zero_point: int
    minimum: int
    maximum: int


def ports(tensors: Sequence[Tensor], kind: str, model: str) -> tuple[Port, ...]:
    """Ports in order. A single one is called `input` or `output`; several also carry their tensors' names."""
    names = [kind]
    if len(tensors) != 1:
        names = [f"{kind}_{name}" for name in unique_identifiers((t.name for t in tensors), fallback="x")]
    return tuple(
        _port(tensor, name, model, offset)
        for tensor, name, offset in zip(tensors, names, vector_offsets(tensors), strict=True)
    )


def vector_bytes(tensors: Sequence[Tensor]) -> int:
    """Bytes of one vector in a file: plain for one tensor, each aligned where there are several."""
    if not tensors:
        return 0
    end = vector_offsets(tensors)[-1] + tensors[-1].bytes
    return end if len(tensors) == 1 else _aligned(end)


def vector_offsets(tensors: Sequence[Tensor]) -> list[int]:
    """Where each tensor starts in a vector."""
    offsets, at = [], 0
    for tensor in tensors:
        offsets.append(at)
        at = _aligned(at + tensor.bytes)
    return offsets


def _aligned(size: int) -> int:
    return -(-size // VECTOR_ALIGNMENT) * VECTOR_ALIGNMENT


def _port(tensor: Tensor, name: str, model: str, offset: int) -> Port:
    q = tensor.quantization if tensor.dtype in QUANTIZED else None
    limits = np.iinfo(tensor.dtype.value if q is not None else "int8")
    return Port(
        name=tensor.name,
        argument=name,
        macro=f"{model}_{name}".upper(),
        c_type=tensor.dtype.c_name,
        count=tensor.size,
        bytes=tensor.bytes,
        offset=offset,
        shape=" x ".join(map(str, tensor.shape)) or "1",
        scale=None if q is None else float_literal(q.scale),
        zero_point=0 if q is None else q.zero_point,
        minimum=int(limits.min),
        maximum=int(limits.max),
    )
