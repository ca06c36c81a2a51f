"""A moving average of the weights, which is often better than the last weights of training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.nn.module import Module
from edgegen.frontend.state import check_state
from edgegen.frontend.tape import Array


class MovingAverage:
    """The exponential moving average of all parameters of `module`: a = d * a + (1 - d) * w at each update.

    It starts at the weights of the time of its making. d is `decay`, at first less, (1 + n) / (10 + n) at
    update n, so that the start is soon forgotten. Buffers, such as running statistics, are not averaged.
    Source: Polyak and Juditsky, "Acceleration of Stochastic Approximation by Averaging", 1992.
    """

    def __init__(self, module: Module, *, decay: float = 0.999) -> None:
        if not 0 <= decay < 1:
            raise ModelError(f"MovingAverage: decay takes 0 <= d < 1, got {decay}")
        self.module, self.decay, self.updates = module, decay, 0
        self.values: dict[str, Array] = {n: np.array(p.data) for n, p in module.named_parameters()}

    def update(self) -> None:
        """Take in the present weights: once after each step of the optimiser."""
        self.updates += 1
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        for name, parameter in self.module.named_parameters():
            real = parameter.dtype.type
            self.values[name] = real(decay) * self.values[name] + real(1 - decay) * parameter.data

    def copy_to_module(self) -> None:
        """Replace the module's weights by the average."""
        for name, parameter in self.module.named_parameters():
            parameter.data = np.array(self.values[name])

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """The module has the averaged weights inside, and its own again afterwards."""
        own = {name: parameter.data for name, parameter in self.module.named_parameters()}
        self.copy_to_module()
        try:
            yield
        finally:
            for name, parameter in self.module.named_parameters():
                parameter.data = own[name]

    def state_dict(self) -> dict[str, Array]:
        """Copies of the averages by the name of the parameter, and the number of updates as "updates"."""
        averages = {f"average.{name}": np.array(value) for name, value in self.values.items()}
        return {"updates": np.asarray(self.updates, np.int64), **averages}

    def load_state_dict(self, state: Mapping[str, Array], *, origin: str = "state") -> None:
        """Take over what `state_dict` gave; `ModelError` lists whatever does not fit, and nothing changes."""
        check_state(self.state_dict(), state, origin=origin, finite=False)
        self.updates = int(state["updates"])
        self.values = {name: np.array(state[f"average.{name}"]) for name in self.values}
