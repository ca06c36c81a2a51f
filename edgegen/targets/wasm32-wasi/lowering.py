"""Kernels of wasm: those for vectors of 16 bytes, with inner loops in 128-bit SIMD (never relaxed SIMD)."""

from edgegen.codegen.lowering.vector import KERNELS, choices

__all__ = ["KERNELS", "choices"]
