"""Layers with parameters. Images are (N, H, W, C)."""

from __future__ import annotations

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend import functional as F  # noqa: N812
from edgegen.frontend.arrays.windows import Pair
from edgegen.frontend.functional.check import PaddingLike
from edgegen.frontend.nn import init
from edgegen.frontend.nn.module import Module
from edgegen.frontend.tensor import Buffer, Parameter, Tensor


def _pair(value: int | Pair) -> Pair:
    return (value, value) if isinstance(value, int) else value


def _positive(layer: str, **values: int) -> None:
    for name, value in values.items():
        if value < 1:
            raise ModelError(f"{layer}: {name} takes a positive number, got {value}")


class Linear(Module):
    """x @ weight.T + bias: (..., inputs) to (..., outputs); `weight` (outputs, inputs)."""

    def __init__(self, inputs: int, outputs: int, *, bias: bool = True, rng: np.random.Generator) -> None:
        _positive("Linear", inputs=inputs, outputs=outputs)
        self.weight = Parameter(init.he_uniform((outputs, inputs), inputs, rng))
        self.bias = Parameter(init.zeros((outputs,))) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias)


class Conv2d(Module):
    """Convolution: (N, H, W, inputs) to (N, OH, OW, outputs); `weight` (outputs, kh, kw, inputs / groups).

    `padding` is "valid", "same" (output ceil(input / stride)) or ((top, bottom), (left, right)) in pixels.
    With `groups` equal to `inputs` it is depthwise.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        size: int | Pair,
        *,
        stride: int | Pair = 1,
        dilation: int | Pair = 1,
        padding: PaddingLike = "valid",
        groups: int = 1,
        bias: bool = True,
        rng: np.random.Generator,
    ) -> None:
        kh, kw = _pair(size)
        _positive("Conv2d", inputs=inputs, outputs=outputs, groups=groups, rows=kh, columns=kw)
        if inputs % groups or outputs % groups:
            raise ModelError(f"Conv2d: {inputs} inputs and {outputs} outputs do not split in {groups} groups")
        self.stride, self.dilation, self.padding, self.groups = (
            _pair(stride),
            _pair(dilation),
            padding,
            groups,
        )
        fan_in = kh * kw * inputs // groups
        self.weight = Parameter(init.he_uniform((outputs, kh, kw, inputs // groups), fan_in, rng))
        self.bias = Parameter(init.zeros((outputs,))) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.conv2d(
            x,
            self.weight,
            self.bias,
            stride=self.stride,
            dilation=self.dilation,
            padding=self.padding,
            groups=self.groups,
        )

    def describe(self) -> str:
        dilation = f", dilation={self.dilation}" if self.dilation != (1, 1) else ""
        groups = f", groups={self.groups}" if self.groups != 1 else ""
        return f"stride={self.stride}, padding={self.padding}{dilation}{groups}"


class ConvTranspose2d(Module):
    """The transpose of a convolution: (N, H, W, inputs) to (N, OH, OW, outputs).

    `weight` is (inputs, kh, kw, outputs).

    With padding "same" images grow by `stride`, with "valid" to (H - 1) * stride + kh.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        size: int | Pair,
        *,
        stride: int | Pair = 1,
        padding: str = "valid",
        bias: bool = True,
        rng: np.random.Generator,
    ) -> None:
        kh, kw = _pair(size)
        _positive("ConvTranspose2d", inputs=inputs, outputs=outputs, rows=kh, columns=kw)
        self.stride, self.padding = stride, padding
        self.weight = Parameter(init.he_uniform((inputs, kh, kw, outputs), inputs * kh * kw, rng))
        self.bias = Parameter(init.zeros((outputs,))) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.conv_transpose2d(x, self.weight, self.bias, stride=self.stride, padding=self.padding)

    def describe(self) -> str:
        return f"stride={self.stride}, padding={self.padding}"


class PReLU(Module):
    """x where positive, alpha * x elsewhere, with an alpha for each channel that is learnt."""

    def __init__(self, channels: int, *, alpha: float = 0.25) -> None:
        _positive("PReLU", channels=channels)
        self.alpha = Parameter(np.full((channels,), alpha, np.float32))

    def forward(self, x: Tensor) -> Tensor:
        return F.prelu(x, self.alpha)


class BatchNorm2d(Module):
    """Normalise each channel of (N, H, W, C): by the batch in training, by running statistics after `eval()`.

    In training the running statistics move by `momentum` towards those of the batch (with its unbiased
    variance).
    """

    def __init__(self, channels: int, *, momentum: float = 0.1, epsilon: float = 1e-5) -> None:
        _positive("BatchNorm2d", channels=channels)
        self.momentum, self.epsilon = momentum, epsilon
        self.gamma, self.beta = Parameter(init.ones((channels,))), Parameter(init.zeros((channels,)))
        self.running_mean, self.running_var = Buffer(init.zeros((channels,))), Buffer(init.ones((channels,)))

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return F.batch_norm(
                x, self.gamma, self.beta, self.running_mean, self.running_var, epsilon=self.epsilon
            )
        y, mean, var = F.batch_norm_training(x, self.gamma, self.beta, epsilon=self.epsilon)
        count = x.size // x.shape[-1]
        self._move(self.running_mean, mean)
        self._move(self.running_var, var * (count / max(count - 1, 1)))
        return y

    def _move(self, statistic: Buffer, towards: np.ndarray[tuple[int, ...], np.dtype[np.floating]]) -> None:
        statistic.data = statistic.data + self.momentum * (towards - statistic.data)

    def describe(self) -> str:
        return f"momentum={self.momentum}, epsilon={self.epsilon}"


class Dropout(Module):
    """In training, zero elements with probability `rate` and scale the others up; `eval()` ends it."""

    def __init__(self, rate: float, *, rng: np.random.Generator) -> None:
        self.rate, self.rng = rate, rng

    def forward(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.rate, rng=self.rng) if self.training else x

    def describe(self) -> str:
        return f"rate={self.rate}"
