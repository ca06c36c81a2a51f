"""Layers without parameters: the functions of the same names as modules."""

from __future__ import annotations

from edgegen.frontend import functional as F  # noqa: N812
from edgegen.frontend.arrays.windows import Pair
from edgegen.frontend.functional.check import PaddingLike
from edgegen.frontend.nn.module import Module
from edgegen.frontend.tensor import Tensor


class _Pool(Module):
    def __init__(
        self, size: int | Pair, *, stride: int | Pair | None = None, padding: PaddingLike = "valid"
    ) -> None:
        self.size, self.stride, self.padding = size, size if stride is None else stride, padding

    def describe(self) -> str:
        return f"size={self.size}, stride={self.stride}, padding={self.padding}"


class MaxPool2d(_Pool):
    """The maximum under each window; `stride` is `size` by default."""

    def forward(self, x: Tensor) -> Tensor:
        return F.max_pool2d(x, self.size, stride=self.stride, padding=self.padding)


class AvgPool2d(_Pool):
    """The mean of the real pixels under each window; `stride` is `size` by default."""

    def forward(self, x: Tensor) -> Tensor:
        return F.avg_pool2d(x, self.size, stride=self.stride, padding=self.padding)


class GlobalAvgPool(Module):
    """The mean of each channel: (N, H, W, C) to (N, C)."""

    def forward(self, x: Tensor) -> Tensor:
        return F.global_avg_pool(x)


class ReLU(Module):
    """max(x, 0)."""

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(x)


class ReLU6(Module):
    """min(max(x, 0), 6)."""

    def forward(self, x: Tensor) -> Tensor:
        return F.relu6(x)


class LeakyReLU(Module):
    """x where positive, alpha * x elsewhere."""

    def __init__(self, alpha: float = 0.01) -> None:
        self.alpha = alpha

    def forward(self, x: Tensor) -> Tensor:
        return F.leaky_relu(x, self.alpha)

    def describe(self) -> str:
        return f"alpha={self.alpha}"


class ELU(Module):
    """x where positive, e^x - 1 elsewhere."""

    def forward(self, x: Tensor) -> Tensor:
        return F.elu(x)


class GELU(Module):
    """x times the normal distribution function of x, by tanh."""

    def forward(self, x: Tensor) -> Tensor:
        return F.gelu(x)


class SiLU(Module):
    """x * sigmoid(x)."""

    def forward(self, x: Tensor) -> Tensor:
        return F.silu(x)


class Sigmoid(Module):
    """1 / (1 + e^-x)."""

    def forward(self, x: Tensor) -> Tensor:
        return F.sigmoid(x)


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, x: Tensor) -> Tensor:
        return F.tanh(x)


class HardSwish(Module):
    """x * min(max(x + 3, 0), 6) / 6."""

    def forward(self, x: Tensor) -> Tensor:
        return F.hard_swish(x)


class HardSigmoid(Module):
    """min(max(x + 3, 0), 6) / 6."""

    def forward(self, x: Tensor) -> Tensor:
        return F.hard_sigmoid(x)


class Upsample(Module):
    """`factor` times the size along both sides; `kind` is "nearest" or "bilinear"."""

    def __init__(self, factor: int = 2, *, kind: str = "nearest") -> None:
        self.factor, self.kind = factor, kind

    def forward(self, x: Tensor) -> Tensor:
        return F.upsample(x, self.factor, kind=self.kind)

    def describe(self) -> str:
        return f"factor={self.factor}, kind={self.kind}"


class Softmax(Module):
    """Probabilities along the last axis."""

    def forward(self, x: Tensor) -> Tensor:
        return F.softmax(x)


class Flatten(Module):
    """All axes from `start` on as one: (N, H, W, C) to (N, H * W * C)."""

    def __init__(self, start: int = 1) -> None:
        self.start = start

    def forward(self, x: Tensor) -> Tensor:
        return F.flatten(x, self.start)


class Identity(Module):
    """x."""

    def forward(self, x: Tensor) -> Tensor:
        return x
