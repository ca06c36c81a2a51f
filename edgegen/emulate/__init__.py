"""Runs images in emulators and measures them. One module an emulator; `run_image` is the way in."""

from edgegen.emulate.image import ImageSizes, Symbol, sizes
from edgegen.emulate.profile import InstructionCount, Profile
from edgegen.emulate.run import RunRequest, RunResult, read_trace, run_image
from edgegen.emulate.stack import stack_bound

__all__ = [
    "ImageSizes",
    "InstructionCount",
    "Profile",
    "RunRequest",
    "RunResult",
    "Symbol",
    "read_trace",
    "run_image",
    "sizes",
    "stack_bound",
]
