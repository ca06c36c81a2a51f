"""From losses to steps of an optimiser: accumulation, clipping, schedule and average in one object.

A loop of one's own is this much, and the Trainer does the same:

    updater = Updater(optimizer, accumulate=4, clip_norm=1.0, schedule=cosine(), total=1000)
    for inputs, targets in loader:
        updater.backward(cross_entropy(model(Tensor(inputs)), targets))
    updater.flush()
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from edgegen.errors import ModelError
from edgegen.frontend.optim.average import MovingAverage
from edgegen.frontend.optim.clip import clip_norm, clip_value
from edgegen.frontend.optim.optimizer import Optimizer
from edgegen.frontend.optim.schedule import Schedule, constant
from edgegen.frontend.state import check_state
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Tensor


class Updater:
    """Collects the gradients of `accumulate` losses, then clips them and moves the parameters once.

    The gradient is that of the mean of the losses, so that 4 batches of 8 do what one of 32 does. `clip_norm`
    and `clip_value` limit that mean gradient, not those of the parts. `schedule` needs `total`, the number of
    updates of the whole training. `average` takes in the weights after each update.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        *,
        accumulate: int = 1,
        clip_norm: float | None = None,
        clip_value: float | None = None,
        schedule: Schedule = constant,
        total: int | None = None,
        average: MovingAverage | None = None,
    ) -> None:
        if accumulate < 1:
            raise ModelError(f"Updater: accumulate takes a positive number, got {accumulate}")
        if schedule is not constant and (total is None or total < 1):
            raise ModelError(f"Updater: a schedule needs the total number of updates, got {total}")
        self.optimizer, self.accumulate, self.average = optimizer, accumulate, average
        self.clip_norm, self.clip_value = clip_norm, clip_value
        self.schedule, self.total = schedule, total
        self.updates = 0
        self.pending = 0
        self.norm: float | None = None
        """The norm of the last update's gradient before clipping, with `clip_norm`."""

    @property
    def lr_factor(self) -> float:
        """The factor on the learning rates of the next update."""
        return self.schedule(min(self.updates / self.total, 1.0)) if self.total else 1.0

    def backward(self, loss: Tensor) -> bool:
        """Add the gradient of a loss; when it is the last of its group, update. Gives whether it did."""
        number = float(loss)
        if not np.isfinite(number):
            raise ModelError(
                f"training: the loss became {number} in update {self.updates}; lower the learning rate"
            )
        if not self.pending:
            self.optimizer.zero_grad()
        loss.backward(np.asarray(1 / self.accumulate, loss.dtype).reshape(loss.shape))
        self.pending += 1
        return self.pending == self.accumulate and self.flush()

    def flush(self) -> bool:
        """Update with what was collected since the last one, if anything: at the end of a pass."""
        if not self.pending:
            return False
        parameters = self.optimizer.moving
        if self.pending != self.accumulate:
            for parameter in parameters:
                if parameter.grad is not None:
                    parameter.grad = parameter.grad * parameter.dtype.type(self.accumulate / self.pending)
        if self.clip_value is not None:
            clip_value(parameters, self.clip_value)
        if self.clip_norm is not None:
            self.norm = clip_norm(parameters, self.clip_norm)
        self.optimizer.step(lr_factor=self.lr_factor)
        self.updates += 1
        self.pending = 0
        if self.average is not None:
            self.average.update()
        return True

    def state_dict(self) -> dict[str, Array]:
        """The counts, and while a group is not full its gradients as "gradient.I" of parameter I."""
        state = {
            "updates": np.asarray(self.updates, np.int64),
            "pending": np.asarray(self.pending, np.int64),
        }
        if self.pending:
            for index, parameter in enumerate(self.optimizer.parameters):
                if parameter.grad is not None:
                    state[f"gradient.{index}"] = np.array(parameter.grad)
        return state

    def load_state_dict(self, state: Mapping[str, Array], *, origin: str = "state") -> None:
        """Take over what `state_dict` gave; `ModelError` lists whatever does not fit, and nothing changes."""
        parameters = self.optimizer.parameters
        names = {f"gradient.{index}": parameter for index, parameter in enumerate(parameters)}
        expected = {name: p.data for name, p in names.items() if name in state}
        counts = {"updates": np.zeros((), np.int64), "pending": np.zeros((), np.int64)}
        check_state({**counts, **expected}, state, origin=origin, finite=False)
        self.updates, self.pending = int(state["updates"]), int(state["pending"])
        for name, parameter in names.items():
            parameter.grad = np.array(state[name]) if name in state else None
