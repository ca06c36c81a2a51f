"""Layers over sequences (N, T, C): batch, steps, features."""

from __future__ import annotations

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend import functional as F  # noqa: N812
from edgegen.frontend.arrays.windows import Padding
from edgegen.frontend.nn.layers import Conv2d, Linear
from edgegen.frontend.nn.module import Module
from edgegen.frontend.tensor import Parameter, Tensor


class Conv1d(Module):
    """Convolution along the steps: (N, T, inputs) to (N, OT, outputs).

    `padding` is "valid", "same", or "causal": then no output sees a later step.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        size: int,
        *,
        stride: int = 1,
        dilation: int = 1,
        padding: str = "valid",
        groups: int = 1,
        bias: bool = True,
        rng: np.random.Generator,
    ) -> None:
        if padding not in ("valid", "same", "causal"):
            raise ModelError(f'Conv1d: padding takes "valid", "same" or "causal", got {padding!r}')
        around: str | Padding = padding
        if padding == "causal":
            around = ((0, 0), ((size - 1) * dilation, 0))
        self.conv = Conv2d(
            inputs,
            outputs,
            (1, size),
            stride=(1, stride),
            dilation=(1, dilation),
            padding=around,
            groups=groups,
            bias=bias,
            rng=rng,
        )

    def forward(self, x: Tensor) -> Tensor:
        _check_sequence("Conv1d", x)
        y = self.conv(F.reshape(x, (x.shape[0], 1, *x.shape[1:])))
        return F.reshape(y, (y.shape[0], *y.shape[2:]))


class _Recurrent(Module):
    """Weights of the gates side by side: (gates * units, inputs) and (gates * units, units)."""

    gates = 1

    def __init__(self, inputs: int, units: int, *, sequences: bool = False, rng: np.random.Generator) -> None:
        self.units, self.sequences = units, sequences
        limit = 1 / np.sqrt(units)

        def drawn(*shape: int) -> Parameter:
            return Parameter(rng.uniform(-limit, limit, shape).astype(np.float32))

        self.weight_input, self.weight_hidden = (
            drawn(self.gates * units, inputs),
            drawn(self.gates * units, units),
        )
        self.bias_input, self.bias_hidden = drawn(self.gates * units), drawn(self.gates * units)

    def _stacked(self, states: list[Tensor]) -> Tensor:
        """The last state (N, units), or all of them (N, T, units)."""
        if not self.sequences:
            return states[-1]
        return F.concat([F.reshape(h, (h.shape[0], 1, self.units)) for h in states], axis=1)

    def _zeros(self, x: Tensor) -> Tensor:
        return Tensor(np.zeros((x.shape[0], self.units), x.dtype))

    def describe(self) -> str:
        return f"units={self.units}, sequences={self.sequences}"


class LSTM(_Recurrent):
    """Long short-term memory: (N, T, inputs) to the last state (N, units), with `sequences` to (N, T, units).

    Gates in the order input, forget, cell, output. Source: Hochreiter and Schmidhuber, "Long Short-Term
    Memory", 1997, with forget gates.
    """

    gates = 4

    def forward(self, x: Tensor) -> Tensor:
        _check_sequence("LSTM", x)
        hidden, cell = self._zeros(x), self._zeros(x)
        states = []
        for t in range(x.shape[1]):
            gates = F.linear(x[:, t], self.weight_input, self.bias_input)
            gates = gates + F.linear(hidden, self.weight_hidden, self.bias_hidden)
            i, f, g, o = (gates[:, n * self.units : (n + 1) * self.units] for n in range(4))
            cell = F.sigmoid(f) * cell + F.sigmoid(i) * F.tanh(g)
            hidden = F.sigmoid(o) * F.tanh(cell)
            states.append(hidden)
        return self._stacked(states)


class GRU(_Recurrent):
    """Gated recurrent unit: (N, T, inputs) to the last state (N, units), with `sequences` to (N, T, units).

    Gates in the order reset, update, new; the reset gate acts behind the matrix, as in cuDNN and PyTorch.
    Source: Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder", 2014.
    """

    gates = 3

    def forward(self, x: Tensor) -> Tensor:
        _check_sequence("GRU", x)
        hidden = self._zeros(x)
        states = []
        for t in range(x.shape[1]):
            left = F.linear(x[:, t], self.weight_input, self.bias_input)
            right = F.linear(hidden, self.weight_hidden, self.bias_hidden)
            u = self.units
            reset = F.sigmoid(left[:, :u] + right[:, :u])
            update = F.sigmoid(left[:, u : 2 * u] + right[:, u : 2 * u])
            new = F.tanh(left[:, 2 * u :] + reset * right[:, 2 * u :])
            hidden = new + update * (hidden - new)
            states.append(hidden)
        return self._stacked(states)


class MultiHeadAttention(Module):
    """Self-attention: (N, T, features) to the same, by `heads` that each look at features / heads of them.

    Source: Vaswani et al., "Attention Is All You Need", 2017.
    """

    def __init__(self, features: int, heads: int, *, rng: np.random.Generator) -> None:
        if heads < 1 or features % heads:
            raise ModelError(f"MultiHeadAttention: {features} features are no multiple of {heads} heads")
        self.heads = heads
        self.query, self.key, self.value, self.out = (Linear(features, features, rng=rng) for _ in range(4))

    def forward(self, x: Tensor) -> Tensor:
        _check_sequence("MultiHeadAttention", x)
        n, steps, features = x.shape
        size = features // self.heads

        def split(y: Tensor) -> Tensor:
            return F.transpose(F.reshape(y, (n, steps, self.heads, size)), (0, 2, 1, 3))

        query = split(self.query(x) * (1 / np.sqrt(size)))
        scores = F.matmul(query, F.transpose(split(self.key(x)), (0, 1, 3, 2)))
        mixed = F.matmul(F.softmax(scores), split(self.value(x)))
        return self.out(F.reshape(F.transpose(mixed, (0, 2, 1, 3)), (n, steps, features)))

    def describe(self) -> str:
        return f"heads={self.heads}"


def _check_sequence(layer: str, x: Tensor) -> None:
    if x.ndim != 3 or not x.shape[1]:
        raise ModelError(f"{layer} takes (N, T, C) with at least one step, got {list(x.shape)}")
