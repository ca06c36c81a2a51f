"""hard_swish: x * relu6(x + 3) / 6."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.arithmetic import Int64, quantize_multiplier
from edgegen.codegen.graph import Array, DType
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.common import quantization
from edgegen.codegen.ops.tables import Lookup, codes


class HardSwish(Lookup):
    """TFLM's pipeline of 16-bit numbers (`reference/hard_swish.h`), evaluated for the 256 inputs."""

    name = "hard_swish"
    tflite = "HARD_SWISH"
    tflite_options = "HardSwishOptions"
    constraints = "output scale at least 1/128 of the input scale"

    def function(self, view: NodeView, x: Array) -> Array:
        gated: Array = x * np.clip(x + 3, 0, 6) / 6
        return gated

    def table(self, view: NodeView) -> Int64:
        x, y = quantization(view, view.input(0)), quantization(view, view.outputs[0])
        fine = np.float32(1.0 / 128.0) * np.float32(x.scale)
        output_multiplier, output_shift = _short(float(fine / np.float32(y.scale)))
        gate_multiplier, gate_shift = _short(float(fine / np.float32(3.0 / 32768.0)))
        if output_shift > 0:
            raise view.error(f"takes an output scale of at least 1/128 of {x.scale:g}, got {y.scale:g}")
        value = _wrap16((codes(DType.INT8) - x.zero_point) << 7)
        scaled = _rounding_mul(value, output_multiplier)
        gate = _gate(value, gate_multiplier, gate_shift)
        # the last product truncates towards zero; that cancels the bias of the roundings before
        product = np.minimum(_truncated(gate * scaled, 15), 32767)
        return _wrap16(_divided(product, -output_shift) + y.zero_point)


OPERATOR = HardSwish()


def _gate(value: Int64, multiplier: int, shift: int) -> Int64:
    """(x + 3) / 6 clamped to [0, 1], in Q0.15."""
    gate = _saturate16(value << (shift - 1)) if shift > 0 else value
    gate = _rounding_mul(gate, multiplier)
    gate = _saturate16(gate << 1) if shift > 0 else _divided(gate, -shift)
    return (gate + (1 << 15)) >> 1


def _short(real: float) -> tuple[int, int]:
    """A multiplier of 16 bits (TFLM DownScaleInt32ToInt16Multiplier) and its shift."""
    multiplier, shift = quantize_multiplier(real)
    return min((multiplier + (1 << 15)) >> 16, 32767), shift


def _rounding_mul(a: Int64, b: int) -> Int64:
    """2ab / 2^16 to nearest, ties up, saturated where both are -32768."""
    rounded: Int64 = np.minimum((a * b + (1 << 14)) >> 15, 32767)
    return rounded


def _divided(x: Int64, exponent: int) -> Int64:
    """x / 2^exponent to nearest, ties away from zero, with gemmlowp's mask of only 16 bits."""
    mask = -1 if exponent > 15 else (1 << exponent) - 1
    threshold = (mask >> 1) + (x < 0)
    quotient: Int64 = (x >> exponent) + ((x & mask) > threshold)
    return quotient


def _truncated(x: Int64, bits: int) -> Int64:
    truncated: Int64 = np.sign(x) * (np.abs(x) >> bits)
    return truncated


def _wrap16(x: Int64) -> Int64:
    return x.astype(np.int16).astype(np.int64)


def _saturate16(x: Int64) -> Int64:
    return np.clip(x, -32768, 32767)
