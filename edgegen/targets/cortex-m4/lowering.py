"""Kernels of the Cortex-M4: those with DSP instructions."""

from edgegen.codegen.lowering.dsp import KERNELS, choices

__all__ = ["KERNELS", "choices"]
