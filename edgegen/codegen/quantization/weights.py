"""Weights and biases of matrix products in int8 and int32."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgegen.codegen.graph import Array, DType, Quantization, Tensor
from edgegen.codegen.ops.base import NodeView

LARGEST_BIAS = 2**30
"""Leaves the other half of an int32 to the products."""


@dataclass(frozen=True, eq=False)
class QuantizedProduct:
    """int8 weights, an int32 bias at input scale times weight scale, and what had to be done about them."""

    weights: Tensor
    bias: Tensor
    notes: tuple[str, ...]


def quantize_product(
    view: NodeView, *, axis: int, bias_at: int, input_scale: float, per_channel: bool
) -> QuantizedProduct:
    """Weights in [-127, 127] around zero, a scale for each output channel or one for all.

    `bias_at` is the position of the bias among the inputs; the weights stand at 1.
    A channel of zeros gets the scale of the others; one whose bias does not fit int32 gets a wider scale.
    Raises ModelError for NaN or infinite weights and for weights that are computed.
    """
    weights = view.constant(1, "the weights").astype(np.float64)
    channels = weights.shape[axis]
    bias = np.zeros(channels)
    if view.optional(bias_at) is not None:
        bias = view.constant(bias_at, "the bias").astype(np.float64)
    _check_finite(view, weights, bias)
    scales, notes = _scales(view, weights, bias, axis, input_scale)
    if not per_channel:
        scales = np.full(channels, scales.max(), np.float32)
    shape = [-1 if i == axis else 1 for i in range(weights.ndim)]
    data = np.clip(np.round(weights / scales.astype(np.float64).reshape(shape)), -127, 127).astype(np.int8)
    bias_scales = np.float64(input_scale) * scales.astype(np.float64)
    bias_data = np.round(bias / bias_scales).astype(np.int64).astype(np.int32)
    kept = scales if per_channel else scales[:1]
    q = Quantization(tuple(kept.astype(float).tolist()), (0,) * len(kept), axis if per_channel else None)
    bias_q = Quantization(
        tuple(float(np.float32(input_scale * scale)) for scale in q.scales),
        (0,) * len(kept),
        0 if per_channel else None,
    )
    name = view.node.name
    return QuantizedProduct(
        weights=Tensor(f"{name}/weights/int8", data.shape, DType.INT8, q, data),
        bias=Tensor(f"{name}/bias/int32", bias_data.shape, DType.INT32, bias_q, bias_data),
        notes=notes,
    )


def _check_finite(view: NodeView, weights: Array, bias: Array) -> None:
    for what, array in (("weights", weights), ("bias", bias)):
        if not np.isfinite(array).all():
            count = int((~np.isfinite(array)).sum())
            raise view.error(f"its {what} hold {count} NaN or infinite values")


def _scales(
    view: NodeView, weights: Array, bias: Array, axis: int, input_scale: float
) -> tuple[Array, tuple[str, ...]]:
    others = tuple(i for i in range(weights.ndim) if i != axis)
    largest = np.abs(weights).max(axis=others)
    label = f"{view.node.op} '{view.node.name}'"
    notes = []
    dead = largest == 0.0
    if dead.any():
        largest = np.where(dead, largest.max() if largest.max() > 0.0 else 1.0, largest)
        notes.append(f"{label}: {int(dead.sum())} of {dead.size} output channels have no weights")
    scales = largest / 127.0
    needed = np.abs(bias) / (input_scale * LARGEST_BIAS)
    wide = needed > scales
    if wide.any():
        notes.append(
            f"{label}: the weight scale of {int(wide.sum())} channels was widened to hold their bias"
        )
    chosen = np.maximum(np.maximum(scales, needed), np.finfo(np.float32).tiny)
    return np.nextafter(chosen.astype(np.float32), np.float32(np.inf), dtype=np.float32), tuple(notes)
