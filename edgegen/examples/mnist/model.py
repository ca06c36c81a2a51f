"""A small network for handwritten digits: a residual block between two depthwise-separable ones.

465,144 multiply-accumulates an image and 15,226 parameters. `edgegen build` calls `model()` and loads the
weights that `edgegen.toml` names.
"""

from __future__ import annotations

import numpy as np

from edgegen.frontend import Tensor, nn

CLASSES = 10


def convolution(
    inputs: int, outputs: int, size: int, activation: nn.Module, *, rng: np.random.Generator, stride: int = 1
) -> nn.Module:
    """Convolution, batch normalisation (which makes a bias superfluous), activation."""
    return nn.Sequential(
        conv=nn.Conv2d(inputs, outputs, size, stride=stride, padding="same", bias=False, rng=rng),
        norm=nn.BatchNorm2d(outputs),
        activation=activation,
    )


def separable(inputs: int, outputs: int, *, rng: np.random.Generator, stride: int = 1) -> nn.Module:
    """A depthwise 3x3 convolution, then a pointwise one: a fraction of the work of a full 3x3."""
    return nn.Sequential(
        depthwise=nn.Conv2d(
            inputs, inputs, 3, stride=stride, padding="same", groups=inputs, bias=False, rng=rng
        ),
        depthwise_norm=nn.BatchNorm2d(inputs),
        depthwise_activation=nn.ReLU6(),
        pointwise=nn.Conv2d(inputs, outputs, 1, bias=False, rng=rng),
        pointwise_norm=nn.BatchNorm2d(outputs),
        pointwise_activation=nn.ReLU6(),
    )


class Digits(nn.Module):
    """Images (N, 28, 28, 1), black 0 to white 1, to the probabilities of ten digits, (N, 10)."""

    def __init__(self, *, rng: np.random.Generator) -> None:
        self.stem = convolution(1, 12, 5, nn.ReLU(), stride=2, rng=rng)
        self.separable = separable(12, 24, rng=rng)
        self.pool = nn.MaxPool2d(2)
        self.residual = nn.Residual(convolution(24, 24, 3, nn.ReLU(), rng=rng))
        self.widen = separable(24, 48, rng=rng)
        self.shrink = nn.MaxPool2d(2, padding="same")
        self.flatten = nn.Flatten()
        self.dropout = nn.Dropout(0.3, rng=rng)
        self.classify = nn.Linear(4 * 4 * 48, CLASSES, rng=rng)
        self.softmax = nn.Softmax()

    def logits(self, x: Tensor) -> Tensor:
        """The scores before softmax, which training takes."""
        x = self.pool(self.separable(self.stem(x)))
        x = self.shrink(self.widen(self.residual(x)))
        return self.classify(self.dropout(self.flatten(x)))

    def forward(self, x: Tensor) -> Tensor:
        return self.softmax(self.logits(x))


def model(rng: np.random.Generator | None = None) -> Digits:
    """A fresh network; `rng` draws its initial weights."""
    return Digits(rng=np.random.default_rng(0) if rng is None else rng)
