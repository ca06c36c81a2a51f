"""Tensors of a .tflite file -> tensors of a graph."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

import numpy as np

from edgegen.codegen.export.form import rest_value
from edgegen.codegen.graph import Array, DType, Quantization, Tensor
from edgegen.codegen.ops.common import RANGES
from edgegen.errors import ModelError
from edgegen.frontend.importers.tflite.file import FileQuantization, FileSignature, FileSubgraph, FileTensor

MAX_COMPUTED = 1 << 22
"""Elements of an activation. A file can declare any number, and index maps take dozens of bytes for each."""
_SOURCE = "tensor "
_SHOWN = 8
"""How many tensors a message lists."""
_KINDS = MappingProxyType({dtype.name: dtype for dtype in DType})
_QUANTIZED = frozenset({DType.INT8, DType.UINT8, DType.INT16, DType.INT32})
_SCALED_BIAS = frozenset({DType.INT64})
_ADVICE = MappingProxyType(
    {
        "FLOAT16": "convert the model without `target_spec.supported_types = [tf.float16]`",
        "STRING": "text cannot be computed on a microcontroller; move it out of the model",
        "INT4": "4-bit values can be weights only",
        "RESOURCE": "only variables (VAR_HANDLE) may be resources; hash tables are not supported",
        "FLOAT64": "convert the model with float32",
    }
)


def tensor_index(tensor: Tensor) -> int | None:
    """The index that a graph's tensor had in the file it came from; None for tensors made later."""
    if not tensor.source.startswith(_SOURCE):
        return None
    return int(tensor.source.removeprefix(_SOURCE))


def unique_names(subgraph: FileSubgraph, signature: FileSignature | None) -> Mapping[int, str]:
    """A name of its own for each tensor, by index; inputs and outputs are called as in the signature."""
    wished = {tensor.index: tensor.name for tensor in subgraph.tensors}
    if signature is not None and signature.subgraph == subgraph.index:
        wished.update({index: name for name, index in (*signature.inputs, *signature.outputs) if name})
    # the interface first, so that its names are the ones that stay
    order = sorted(wished, key=lambda index: index not in {*subgraph.inputs, *subgraph.outputs})
    taken: dict[str, int] = {}
    for index in order:
        name = wished[index] or f"tensor_{index}"
        while name in taken:
            name = f"{name}_{index}"
        taken[name] = index
    return MappingProxyType({index: name for name, index in taken.items()})


def convert(tensor: FileTensor, name: str) -> Tensor:
    """The graph's tensor. Raises ModelError for types, scales and sizes that cannot be."""
    if tensor.sparse:
        raise ModelError(f"{tensor.describe()} is sparse; convert the model without sparsity")
    dtype = _dtype(tensor)
    if tensor.data is None and math.prod(tensor.shape) > MAX_COMPUTED:
        raise ModelError(f"{tensor.describe()} is too large: at most {MAX_COMPUTED} elements can be computed")
    data = None if tensor.data is None else _constant(tensor, tensor.data, dtype)
    made = Tensor(
        name=name,
        shape=tensor.shape,
        dtype=dtype,
        quantization=_quantization(tensor, dtype, constant=data is not None),
        data=data,
        source=f"{_SOURCE}{tensor.index}",
    )
    return _as_state(tensor, made) if tensor.variable else made


def _as_state(tensor: FileTensor, made: Tensor) -> Tensor:
    if tensor.data is not None:
        raise ModelError(f"{tensor.describe()} is both a constant and a variable")
    return made.replace(state=True, data=at_rest(made))


def at_rest(tensor: Tensor) -> Array:
    """The start of state that nothing sets; one element in memory, since a file can declare any size."""
    return np.broadcast_to(np.array(rest_value(tensor), tensor.dtype.numpy), tensor.shape)


def unsupported_types(tensors: Iterable[FileTensor]) -> Mapping[str, list[int]]:
    """A problem for each element type that no tensor of a graph can have, with the tensors that have it."""
    found: dict[str, list[int]] = {}
    for tensor in tensors:
        if tensor.kind not in _KINDS and not (tensor.kind == "INT4" and tensor.data is not None):
            found.setdefault(tensor.kind, []).append(tensor.index)
    return MappingProxyType(
        {f"type {kind.lower()} of {_tensors(k)}: {_advice(kind)}": k for kind, k in found.items()}
    )


def _tensors(indices: list[int]) -> str:
    listed = ", ".join(str(index) for index in indices[:_SHOWN])
    more = f" and {len(indices) - _SHOWN} more" if len(indices) > _SHOWN else ""
    return f"tensor{'' if len(indices) == 1 else 's'} {listed}{more}"


def _advice(kind: str) -> str:
    return f"not supported; {_ADVICE.get(kind, 'convert the model to int8')}"


def _dtype(tensor: FileTensor) -> DType:
    if tensor.kind == "INT4" and tensor.data is not None:
        return DType.INT8
    if tensor.kind not in _KINDS:
        raise ModelError(f"{tensor.describe()}: its type is {_advice(tensor.kind)}")
    return _KINDS[tensor.kind]


def _constant(tensor: FileTensor, data: memoryview, dtype: DType) -> Array:
    """A constant's elements; bytes behind them are allowed, as in the runtimes."""
    size = math.prod(tensor.shape)
    needed = (size + 1) // 2 if tensor.kind == "INT4" else size * dtype.bytes
    if len(data) < needed:
        raise ModelError(f"{tensor.describe()} takes {needed} bytes, its buffer has {len(data)}")
    if tensor.kind == "INT4":
        return _unpacked(data[:needed], size).reshape(tensor.shape)
    if dtype is DType.BOOL:
        return np.not_equal(np.frombuffer(data, np.uint8, size), 0).reshape(tensor.shape)
    little = np.frombuffer(data, dtype.numpy.newbyteorder("<"), size).reshape(tensor.shape)
    # a copy unless the file's own bytes will do
    native: Array = np.require(little, dtype.numpy, ["A", "C"])
    return native


def _unpacked(data: memoryview, size: int) -> Array:
    """4-bit values, the lower half of each byte first, as int8."""
    packed = np.frombuffer(data, np.int8)
    low, high = (packed << 4).astype(np.int8) >> 4, packed >> 4
    return np.stack([low, high], axis=-1).reshape(-1)[:size].astype(np.int8)


def _quantization(tensor: FileTensor, dtype: DType, *, constant: bool) -> Quantization | None:
    """The quantisation of an integer tensor, checked; other types have none that means anything."""
    given = tensor.quantization
    if given is None or dtype not in _QUANTIZED | _SCALED_BIAS:
        return None
    points = _zero_points(tensor, given, dtype)
    wrong = [scale for scale in given.scales if not (math.isfinite(scale) and scale >= 0)]
    if wrong:
        raise ModelError(f"{tensor.describe()} has the scale {wrong[0]}; scales are positive numbers")
    if not constant and dtype in RANGES and 0.0 in given.scales:
        raise ModelError(f"{tensor.describe()} has the scale 0, so its values mean nothing; calibrate again")
    if len(given.scales) == 1:
        return Quantization(given.scales, points, None)
    return Quantization(given.scales, points, _axis(tensor, given))


def _zero_points(tensor: FileTensor, given: FileQuantization, dtype: DType) -> tuple[int, ...]:
    points, count = given.zero_points, len(given.scales)
    if len(points) == 1:
        points = points * count
    if len(points) != count:
        raise ModelError(f"{tensor.describe()} has {count} scales and {len(points)} zero points")
    low, high = RANGES.get(dtype, (-(2**31), 2**31 - 1))
    wrong = [point for point in points if not low <= point <= high]
    if wrong:
        raise ModelError(f"{tensor.describe()} has the zero point {wrong[0]}, outside of {low}..{high}")
    return points


def _axis(tensor: FileTensor, given: FileQuantization) -> int:
    """The axis of the scales. TFLM goes by their number alone, so another axis of that size will do."""
    count = len(given.scales)
    if 0 <= given.axis < len(tensor.shape) and tensor.shape[given.axis] == count:
        return given.axis
    if count not in tensor.shape:
        raise ModelError(
            f"{tensor.describe()} has {count} scales along dimension {given.axis}, "
            "and no dimension of that size"
        )
    return tensor.shape.index(count)
