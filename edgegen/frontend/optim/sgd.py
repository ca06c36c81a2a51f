"""Stochastic gradient descent."""

from __future__ import annotations

from edgegen.errors import ModelError
from edgegen.frontend.optim.optimizer import Optimizer, ParameterGroup, Parameters, decayed
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Parameter


class SGD(Optimizer):
    """Gradient descent with momentum: v = momentum * v + g, and w = w - lr * v.

    g includes weight_decay * w. With `nesterov`, w moves by g + momentum * v: the gradient as if looked
    ahead.
    """

    slot_names = frozenset({"velocity"})

    def __init__(
        self,
        params: Parameters,
        *,
        lr: float,
        momentum: float = 0.0,
        nesterov: bool = False,
        weight_decay: float = 0.0,
    ) -> None:
        super().__init__(params, lr=lr, weight_decay=weight_decay)
        if not 0 <= momentum < 1 or (nesterov and not momentum):
            raise ModelError(f"SGD: momentum takes 0 <= m < 1, and nesterov needs one, got {momentum}")
        self.momentum, self.nesterov = momentum, nesterov

    def update(self, parameter: Parameter, group: ParameterGroup, slots: dict[str, Array]) -> Array:
        gradient = decayed(parameter, group)
        if not self.momentum:
            return gradient
        before = slots.get("velocity")
        momentum = parameter.dtype.type(self.momentum)
        velocity = gradient if before is None else momentum * before + gradient
        slots["velocity"] = velocity
        return gradient + momentum * velocity if self.nesterov else velocity
