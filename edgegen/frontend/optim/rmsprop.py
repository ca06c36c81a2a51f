"""RMSprop: steps scaled by a running root mean square of the gradient."""

from __future__ import annotations

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.optim.optimizer import Optimizer, ParameterGroup, Parameters, decayed
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Parameter


class RMSprop(Optimizer):
    """s = alpha * s + (1 - alpha) * g^2, and w = w - lr * g / (sqrt(s) + epsilon).

    g includes weight_decay * w. With `momentum`, the quotient is summed up to a velocity as in SGD. Source:
    Tieleman and Hinton, "Neural Networks for Machine Learning", lecture 6.5, 2012.
    """

    slot_names = frozenset({"square", "velocity"})

    def __init__(
        self,
        params: Parameters,
        *,
        lr: float = 1e-2,
        alpha: float = 0.99,
        epsilon: float = 1e-8,
        momentum: float = 0.0,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, lr=lr, weight_decay=weight_decay)
        if not (0 <= alpha < 1 and 0 <= momentum < 1):
            raise ModelError(f"RMSprop: alpha and momentum take 0 <= x < 1, got {alpha} and {momentum}")
        self.alpha, self.epsilon, self.momentum = alpha, epsilon, momentum

    def update(self, parameter: Parameter, group: ParameterGroup, slots: dict[str, Array]) -> Array:
        real = parameter.dtype.type
        gradient = decayed(parameter, group)
        zero = np.zeros_like(gradient)
        square = real(self.alpha) * slots.get("square", zero) + real(1 - self.alpha) * np.square(gradient)
        slots["square"] = square
        change = gradient / (np.sqrt(square) + real(self.epsilon))
        if self.momentum:
            change = real(self.momentum) * slots.get("velocity", zero) + change
            slots["velocity"] = change
        return np.asarray(change)
