"""LiteRT (the successor of TensorFlow Lite) through the `ai-edge-litert` package: a comparison, no oracle.

Its kernels round otherwise than TensorFlow Lite Micro's, so differences are expected and show how much a
model's results depend on the runtime.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from typing import Literal

from edgegen.errors import ToolError
from edgegen.oracle.base import TIMEOUT_SECONDS, Oracle

Kernels = Literal["default", "builtin", "reference"]


class LitertOracle(Oracle):
    """Runs .tflite models in LiteRT.

    `kernels` chooses what computes: `default` as users get it (XNNPACK), `builtin` without delegates,
    `reference` the plain kernels. A trace needs tensors that delegates do not keep, so with `default` it
    comes from `builtin`.
    """

    name = "LiteRT"
    module = "edgegen.oracle.litert_worker"

    def __init__(self, *, kernels: Kernels = "default", timeout_seconds: int = TIMEOUT_SECONDS) -> None:
        super().__init__(timeout_seconds=timeout_seconds, kernels=kernels)

    @staticmethod
    def version() -> str:
        if importlib.util.find_spec("ai_edge_litert") is None:
            raise ToolError("LiteRT is not installed: `pip install edgegen[litert]`")
        return importlib.metadata.version("ai-edge-litert")
