"""The network. `edgegen build` calls `model()` and loads the weights that `edgegen.toml` names."""

from __future__ import annotations

import numpy as np

from edgegen.frontend import Tensor, nn

CLASSES = 4


class Network(nn.Module):
    """Images (N, 16, 16, 1) to the probabilities of the classes, (N, 4)."""

    def __init__(self, *, rng: np.random.Generator) -> None:
        self.features = nn.Sequential(
            nn.Conv2d(1, 8, 3, stride=2, padding="same", bias=False, rng=rng),
            nn.BatchNorm2d(8),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding="same", bias=False, rng=rng),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.classify = nn.Linear(4 * 4 * 16, CLASSES, rng=rng)
        self.softmax = nn.Softmax()

    def logits(self, x: Tensor) -> Tensor:
        """The scores before softmax, from which the loss is computed."""
        return self.classify(self.features(x))

    def forward(self, x: Tensor) -> Tensor:
        """What the firmware computes."""
        return self.softmax(self.logits(x))


def model(rng: np.random.Generator | None = None) -> Network:
    """A fresh network; `rng` draws its initial weights."""
    return Network(rng=np.random.default_rng(0) if rng is None else rng)
