"""Normalisation of features and of sequences. Features are the last axis."""

from __future__ import annotations

from edgegen.errors import ModelError
from edgegen.frontend import functional as F  # noqa: N812
from edgegen.frontend.nn import init
from edgegen.frontend.nn.layers import BatchNorm2d
from edgegen.frontend.nn.module import Module
from edgegen.frontend.tensor import Parameter, Tensor


class LayerNorm(Module):
    """Zero mean and unit variance over the last axis, then a scale and a shift: (..., features) to the same.

    Source: Ba, Kiros and Hinton, "Layer Normalization", 2016.
    """

    def __init__(self, features: int, *, epsilon: float = 1e-5) -> None:
        self.epsilon = epsilon
        self.gamma, self.beta = Parameter(init.ones((features,))), Parameter(init.zeros((features,)))

    def forward(self, x: Tensor) -> Tensor:
        centred = x - F.mean(x, -1, keepdims=True)
        variance = F.mean(centred * centred, -1, keepdims=True)
        return centred * F.rsqrt(variance + self.epsilon) * self.gamma + self.beta

    def describe(self) -> str:
        return f"epsilon={self.epsilon}"


class RMSNorm(Module):
    """Divided by the root of the mean square over the last axis, then a scale: (..., features) to the same.

    Source: Zhang and Sennrich, "Root Mean Square Layer Normalization", 2019.
    """

    def __init__(self, features: int, *, epsilon: float = 1e-6) -> None:
        self.epsilon = epsilon
        self.gamma = Parameter(init.ones((features,)))

    def forward(self, x: Tensor) -> Tensor:
        return x * F.rsqrt(F.mean(x * x, -1, keepdims=True) + self.epsilon) * self.gamma

    def describe(self) -> str:
        return f"epsilon={self.epsilon}"


class BatchNorm1d(BatchNorm2d):
    """Normalise each feature of (N, C) or (N, T, C), as BatchNorm2d does each channel."""

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim not in (2, 3):
            raise ModelError(f"BatchNorm1d takes (N, C) or (N, T, C), got {list(x.shape)}")
        steps = 1 if x.ndim == 2 else x.shape[1]
        image = F.reshape(x, (x.shape[0], 1, steps, x.shape[-1]))
        return F.reshape(super().forward(image), x.shape)
