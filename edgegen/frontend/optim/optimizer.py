"""What optimisers share: parameter groups, and state for each parameter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from edgegen.errors import ModelError
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Parameter

Parameters: TypeAlias = Iterable[Parameter] | Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class ParameterGroup:
    """Parameters that are trained alike: learning rate, and decay of the weights towards zero."""

    params: tuple[Parameter, ...]
    lr: float
    weight_decay: float = 0.0

    def __post_init__(self) -> None:
        if self.lr < 0 or self.weight_decay < 0:
            raise ModelError(
                f"optimiser: lr and weight_decay take no negative number, "
                f"got {self.lr} and {self.weight_decay}"
            )


class Optimizer(ABC):
    """Changes parameters by their gradients.

    `params` are parameters, or mappings such as {"params": [...], "lr": 0.01} whose other entries replace the
    defaults for the group. `slots` holds what the optimiser remembers for each parameter, in their order.
    """

    def __init__(self, params: Parameters, *, lr: float, weight_decay: float = 0.0) -> None:
        self.groups = _groups(params, lr, weight_decay)
        self.steps = 0
        self.slots: list[dict[str, Array]] = [{} for group in self.groups for _ in group.params]

    def zero_grad(self) -> None:
        """Forget the gradients of all parameters."""
        for group in self.groups:
            for parameter in group.params:
                parameter.grad = None

    def step(self, *, lr_factor: float = 1.0) -> None:
        """Move each parameter that has a gradient, at the learning rate of its group times `lr_factor`."""
        self.steps += 1
        pairs = ((group, parameter) for group in self.groups for parameter in group.params)
        for (group, parameter), slots in zip(pairs, self.slots, strict=True):
            if parameter.grad is not None and parameter.requires_grad:
                change = self.update(parameter, group, slots)
                parameter.data = parameter.data - parameter.dtype.type(group.lr * lr_factor) * change

    @abstractmethod
    def update(self, parameter: Parameter, group: ParameterGroup, slots: dict[str, Array]) -> Array:
        """The direction to subtract, times the learning rate; may keep arrays in `slots`."""


def _groups(params: Parameters, lr: float, weight_decay: float) -> tuple[ParameterGroup, ...]:
    given = list(params)
    plain = tuple(p for p in given if isinstance(p, Parameter))
    mappings = [p for p in given if isinstance(p, Mapping)]
    if not given or (plain and mappings) or len(plain) + len(mappings) != len(given):
        raise ModelError(
            "optimiser: takes parameters, or mappings with 'params', at least one and all of one kind"
        )
    defaults: dict[str, Any] = {"lr": lr, "weight_decay": weight_decay}
    groups = tuple(_group({**defaults, **m}) for m in (mappings or [{"params": plain}]))
    every = [id(p) for group in groups for p in group.params]
    if len(set(every)) != len(every):
        raise ModelError("optimiser: a parameter is in two groups, or in one twice")
    return groups


def _group(options: Mapping[str, Any]) -> ParameterGroup:
    unknown = sorted(set(options) - {"params", "lr", "weight_decay"})
    if unknown or "params" not in options:
        raise ModelError(
            f"optimiser: a group takes params, lr and weight_decay, got {', '.join(sorted(options))}"
        )
    return ParameterGroup(tuple(options["params"]), float(options["lr"]), float(options["weight_decay"]))
