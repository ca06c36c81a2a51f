"""Kernels of the Cortex-A53: those for vectors of 16 bytes, with inner loops in NEON."""

from edgegen.codegen.lowering.vector import KERNELS, choices

__all__ = ["KERNELS", "choices"]
