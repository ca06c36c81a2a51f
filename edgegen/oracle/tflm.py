"""TensorFlow Lite Micro's reference kernels, through the `tflite-micro` package: the oracle of exactness."""

from __future__ import annotations

import importlib.metadata
import importlib.util

from edgegen.errors import ToolError
from edgegen.oracle.base import Oracle


class TflmOracle(Oracle):
    """Runs .tflite models in TensorFlow Lite Micro."""

    name = "TensorFlow Lite Micro"
    module = "edgegen.oracle.tflm_worker"

    @staticmethod
    def version() -> str:
        if importlib.util.find_spec("tflite_micro") is None:
            raise ToolError(
                "TensorFlow Lite Micro is not installed: `pip install edgegen[tflm]` (its package exists for "
                "Linux on x86-64)"
            )
        return importlib.metadata.version("tflite-micro")
