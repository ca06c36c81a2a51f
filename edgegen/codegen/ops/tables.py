"""Integer functions of one 8-bit input as tables of 256 entries, computed at build time.

Any function of one byte is a table, so the formulas below never run on a device: only `lookup_int8` does.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from edgegen.codegen.arithmetic import Int64, quantize_multiplier, requantize
from edgegen.codegen.graph import Array, DType, Quantization, Tensor
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, reference_only
from edgegen.codegen.ops.common import RANGES, quantization

Float32 = npt.NDArray[np.float32]

BYTES = (DType.INT8, DType.UINT8)


@dataclass(frozen=True, eq=False)
class LookupInt8Params(Params):
    """`table` is indexed by the input's bits read as an unsigned byte."""

    table: Array
    count: int
    output: str = reference_only()
    """NumPy's name of the entries' type."""


def codes(dtype: DType) -> Int64:
    """All values of an 8-bit type, in the order of their bits: 0..127, then -128..-1 if signed."""
    return np.arange(256, dtype=np.uint8).view(dtype.numpy).astype(np.int64)


def lookup_params(values: npt.ArrayLike, *, size: int, output: DType) -> LookupInt8Params:
    """Parameters of `lookup_int8` for outputs `values` of `codes`, clamped to the output type."""
    low, high = RANGES[output]
    table = np.clip(np.asarray(values, dtype=np.int64), low, high).astype(output.numpy)
    return LookupInt8Params(table=table.view(np.int8), count=size, output=output.value)


def run_lookup(params: LookupInt8Params, x: Array) -> Array:
    """What `lookup_int8` does to an 8-bit array."""
    found: Array = params.table[np.ascontiguousarray(x).view(np.uint8)]
    return found.view(np.dtype(params.output))


def lookup_bounds(params: LookupInt8Params, low: Array, high: Array) -> tuple[Array, Array]:
    """Least and greatest entry that an input between `low` and `high` can reach, element by element."""
    dtype = np.dtype(params.output)
    order = np.argsort(np.arange(256, dtype=np.uint8).view(low.dtype), kind="stable")
    entries = params.table.view(dtype)[order].astype(np.int64)
    base = np.iinfo(low.dtype).min
    least, most = _running_extremes(entries, np.minimum), _running_extremes(entries, np.maximum)
    at = low.astype(np.int64) - base, high.astype(np.int64) - base
    return least[at].astype(dtype), most[at].astype(dtype)


def _running_extremes(entries: Int64, extreme: np.ufunc) -> Int64:
    """Matrix of the extreme of entries[first..last]; cells below the diagonal are not used."""
    rows = [
        np.concatenate([entries[:first], extreme.accumulate(entries[first:])])
        for first in range(len(entries))
    ]
    return np.stack(rows)


def float_table(view: NodeView, function: Callable[[Float32], Float32]) -> Int64:
    """Outputs of a float function, by the table that TensorFlow Lite builds for 8-bit inputs.

    Dequantise, transform, multiply by the reciprocal of the output scale, each in float32, then round half
    away from zero (TFLM `elu.cc` PopulateLookupTable).
    """
    x, y = quantization(view, view.input(0)), quantization(view, view.outputs[0])
    codes_in = codes(view.input(0).dtype)
    real = np.float32(x.scale) * (codes_in - x.zero_point).astype(np.float32)
    with np.errstate(all="ignore"):
        scaled = function(real) * (np.float32(1) / np.float32(y.scale))
    rounded = round_half_away(np.nan_to_num(scaled, nan=0.0, posinf=1e9, neginf=-1e9))
    return np.clip(rounded, -(2**30), 2**30) + y.zero_point


def round_half_away(x: npt.ArrayLike) -> Int64:
    """std::round of float32 values; exact, since the sum is formed in float64."""
    wide = np.asarray(x, dtype=np.float64)
    rounded: Int64 = np.copysign(np.floor(np.abs(wide) + 0.5), wide).astype(np.int64)
    return rounded


def rescale_table(view: NodeView, real_multiplier: float) -> Int64:
    """Outputs of a plain change of scale and zero point, before clamping."""
    x, y = quantization(view, view.input(0)), quantization(view, view.outputs[0])
    multiplier, shift = quantize_multiplier(real_multiplier)
    return requantize(codes(view.input(0).dtype) - x.zero_point, multiplier, shift) + y.zero_point


def ratio(x: Quantization, y: Quantization) -> float:
    """Input scale over output scale, in double."""
    return x.scale / y.scale


class Elementwise(Operator):
    """An operator of one input whose output has the same shape and type."""

    accepts: ClassVar[tuple[DType, ...]] = (DType.INT8,)

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x = view.input(0)
        return (TensorType(x.shape, x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        with np.errstate(all="ignore"):
            return (self.function(view, x).astype(x.dtype),)

    @abstractmethod
    def function(self, view: NodeView, x: Array) -> Array:
        """The function on floats."""

    def check_types(self, view: NodeView) -> tuple[Tensor, Tensor]:
        """Input and output, of one accepted type."""
        x, y = view.input(0), view.outputs[0]
        if x.dtype not in self.accepts or y.dtype is not x.dtype:
            raise view.error(f"takes and gives {self.types}, got {x.describe()} and {y.describe()}")
        return x, y


class Lookup(Elementwise):
    """An elementwise operator of int8 tensors by table."""

    @abstractmethod
    def table(self, view: NodeView) -> Int64:
        """The output for each of `codes`; clamped to the output type by the caller."""

    def prepare(self, view: NodeView) -> Params:
        x, y = self.check_types(view)
        return lookup_params(self.table(view), size=x.size, output=y.dtype)

    def run_int(self, params: Any, inputs: Sequence[Array]) -> tuple[Array, ...]:
        return (run_lookup(params, inputs[0]),)

    def call(self, view: NodeView, params: Any) -> Call:
        return Call(kernel="lookup_int8", params=params, in_place=(0,))

    def bounds(
        self, view: NodeView, params: Any, low: Sequence[Array], high: Sequence[Array]
    ) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
        if not isinstance(params, LookupInt8Params):
            return super().bounds(view, params, low, high)
        least, most = lookup_bounds(params, low[0], high[0])
        return (least,), (most,)

    def channel_sources(self, view: NodeView) -> Array | None:
        return np.arange(view.input(0).shape[-1]) if view.input(0).shape else None


class FloatTable(Lookup):
    """A function without an integer kernel in TensorFlow Lite Micro: a table by the float32 formula."""

    constraints = "not in TensorFlow Lite Micro as integers; a table as TensorFlow Lite builds it"

    def table(self, view: NodeView) -> Int64:
        return float_table(view, lambda real: self.function(view, real).astype(np.float32))
