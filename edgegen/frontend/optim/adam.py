"""Adam and AdamW: steps scaled by running moments of the gradient."""

from __future__ import annotations

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.optim.optimizer import Optimizer, ParameterGroup, Parameters, decayed
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Parameter


class Adam(Optimizer):
    """Adam as in Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015.

    `betas` are the decays of the first and second moment. Weight decay is added to the gradient.
    """

    slot_names = frozenset({"steps", "first", "second"})

    def __init__(
        self,
        params: Parameters,
        *,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, lr=lr, weight_decay=weight_decay)
        if not all(0 <= beta < 1 for beta in betas):
            raise ModelError(f"{type(self).__name__}: betas take 0 <= b < 1, got {betas}")
        self.betas, self.epsilon = betas, epsilon

    def update(self, parameter: Parameter, group: ParameterGroup, slots: dict[str, Array]) -> Array:
        return self._scaled(parameter, decayed(parameter, group), slots)

    def _scaled(self, parameter: Parameter, gradient: Array, slots: dict[str, Array]) -> Array:
        real = parameter.dtype.type
        zero = np.zeros_like(gradient)
        b1, b2 = self.betas
        # Counted for each parameter, since one may receive gradients later than the others.
        steps = slots.get("steps", np.zeros((), np.int64)) + 1
        first = real(b1) * slots.get("first", zero) + real(1 - b1) * gradient
        second = real(b2) * slots.get("second", zero) + real(1 - b2) * np.square(gradient)
        slots.update(steps=np.asarray(steps), first=first, second=second)
        unbiased = first / real(1 - b1 ** int(steps))
        return np.asarray(unbiased / (np.sqrt(second / real(1 - b2 ** int(steps))) + real(self.epsilon)))


class AdamW(Adam):
    """Adam whose weight decay pulls at the weights themselves, untouched by the moments.

    Source: Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019.
    """

    def __init__(
        self,
        params: Parameters,
        *,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        weight_decay: float = 1e-2,
    ) -> None:
        super().__init__(params, lr=lr, betas=betas, epsilon=epsilon, weight_decay=weight_decay)

    def update(self, parameter: Parameter, group: ParameterGroup, slots: dict[str, Array]) -> Array:
        assert parameter.grad is not None
        change = self._scaled(parameter, parameter.grad, slots)
        return np.asarray(change + parameter.dtype.type(group.weight_decay) * parameter.data)
