"""What optimisers share: parameter groups, and state for each parameter."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np

from edgegen.errors import ModelError, problems
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Parameter

Parameters: TypeAlias = Iterable[Parameter] | Iterable[Mapping[str, Any]]
OPTIONS = ("lr", "weight_decay", "frozen")


@dataclass(frozen=True)
class ParameterGroup:
    """Parameters that are trained alike: learning rate, and decay of the weights towards zero.

    The parameters of a `frozen` group stay as they are, whatever their gradients.
    """

    params: tuple[Parameter, ...]
    lr: float
    weight_decay: float = 0.0
    frozen: bool = False

    def __post_init__(self) -> None:
        if self.lr < 0 or self.weight_decay < 0:
            raise ModelError(
                f"optimiser: lr and weight_decay take no negative number, "
                f"got {self.lr} and {self.weight_decay}"
            )


class Optimizer(ABC):
    """Changes parameters by their gradients.

    `params` are parameters, or mappings such as {"params": [...], "lr": 0.01, "frozen": True} whose other
    entries replace the defaults for the group. `slots` holds what the optimiser remembers for each parameter,
    in their order; `slot_names` are the names that a subclass uses there.
    """

    slot_names: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, params: Parameters, *, lr: float, weight_decay: float = 0.0) -> None:
        self.groups = _groups(params, lr, weight_decay)
        self.steps = 0
        self.slots: list[dict[str, Array]] = [{} for group in self.groups for _ in group.params]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters of all groups, in the order of `slots`."""
        return tuple(parameter for group in self.groups for parameter in group.params)

    @property
    def moving(self) -> tuple[Parameter, ...]:
        """The parameters that a step may change: those that are not frozen."""
        return tuple(p for group in self.groups if not group.frozen for p in group.params if p.requires_grad)

    def change_group(self, index: int, **changes: Any) -> None:
        """Give a group another `lr` or `weight_decay`, or freeze and thaw it (`frozen`)."""
        unknown = sorted(set(changes) - set(OPTIONS))
        if unknown or not 0 <= index < len(self.groups):
            raise ModelError(
                f"optimiser: there are {len(self.groups)} groups with {', '.join(OPTIONS)}, "
                f"got group {index} with {', '.join(changes)}"
            )
        groups = list(self.groups)
        groups[index] = replace(groups[index], **changes)
        self.groups = tuple(groups)

    def zero_grad(self) -> None:
        """Forget the gradients of all parameters."""
        for parameter in self.parameters:
            parameter.grad = None

    def step(self, *, lr_factor: float = 1.0) -> None:
        """Move each parameter that has a gradient, at the learning rate of its group times `lr_factor`."""
        self.steps += 1
        pairs = ((group, parameter) for group in self.groups for parameter in group.params)
        for (group, parameter), slots in zip(pairs, self.slots, strict=True):
            if parameter.grad is not None and parameter.requires_grad and not group.frozen:
                change = self.update(parameter, group, slots)
                parameter.data = parameter.data - parameter.dtype.type(group.lr * lr_factor) * change

    @abstractmethod
    def update(self, parameter: Parameter, group: ParameterGroup, slots: dict[str, Array]) -> Array:
        """The direction to subtract, times the learning rate; may keep arrays in `slots`."""

    def state_dict(self) -> dict[str, Array]:
        """Copies of everything that the next step depends on, apart from the parameters themselves.

        "steps"; "group.I.lr", "group.I.weight_decay" and "group.I.frozen" of group I; "I.NAME" for the slot
        of that name of parameter I, once it has one.
        """
        state: dict[str, Array] = {"steps": np.asarray(self.steps, np.int64)}
        for index, group in enumerate(self.groups):
            for option in OPTIONS:
                state[f"group.{index}.{option}"] = np.asarray(float(getattr(group, option)))
        for index, slots in enumerate(self.slots):
            state.update({f"{index}.{name}": np.array(value) for name, value in slots.items()})
        return state

    def load_state_dict(self, state: Mapping[str, Array], *, origin: str = "state") -> None:
        """Take over what `state_dict` of an optimiser of the same kind over the same parameters gave.

        `ModelError`, beginning with `origin`, lists whatever does not fit, and then nothing has changed.
        """
        found = list(self._misfits(state))
        if found:
            raise ModelError(problems(f"{origin}: the state does not fit this {type(self).__name__}", found))
        self.steps = int(state["steps"])
        for index in range(len(self.groups)):
            lr, decay, frozen = (float(state[f"group.{index}.{option}"]) for option in OPTIONS)
            self.change_group(index, lr=lr, weight_decay=decay, frozen=bool(frozen))
        self.slots = [{} for _ in self.slots]
        for name, value in state.items():
            index_text, _, slot = name.partition(".")
            if index_text.isdigit():
                self.slots[int(index_text)][slot] = np.array(value)

    def _misfits(self, state: Mapping[str, Array]) -> Iterator[str]:
        needed = {"steps", *(f"group.{i}.{option}" for i in range(len(self.groups)) for option in OPTIONS)}
        yield from (f"missing '{name}'" for name in sorted(needed - state.keys()))
        parameters = self.parameters
        for name in sorted(state.keys() - needed):
            index_text, _, slot = name.partition(".")
            if not index_text.isdigit() or slot not in self.slot_names:
                yield f"surplus '{name}': this optimiser keeps {', '.join(sorted(self.slot_names))}"
            elif int(index_text) >= len(parameters):
                yield f"surplus '{name}': there are {len(parameters)} parameters"
            elif slot != "steps":
                want, have = parameters[int(index_text)], state[name]
                if (want.shape, want.dtype) != (have.shape, have.dtype):
                    yield f"'{name}' takes {want.dtype} {want.shape}, got {have.dtype} {have.shape}"


def decayed(parameter: Parameter, group: ParameterGroup) -> Array:
    """The gradient plus weight decay times the weights."""
    assert parameter.grad is not None
    if not group.weight_decay:
        return parameter.grad
    return np.asarray(parameter.grad + parameter.dtype.type(group.weight_decay) * parameter.data)


def _groups(params: Parameters, lr: float, weight_decay: float) -> tuple[ParameterGroup, ...]:
    given = list(params)
    plain = tuple(p for p in given if isinstance(p, Parameter))
    mappings = [p for p in given if isinstance(p, Mapping)]
    if not given or (plain and mappings) or len(plain) + len(mappings) != len(given):
        raise ModelError(
            "optimiser: takes parameters, or mappings with 'params', at least one and all of one kind"
        )
    defaults: dict[str, Any] = {"lr": lr, "weight_decay": weight_decay, "frozen": False}
    groups = tuple(_group({**defaults, **m}) for m in (mappings or [{"params": plain}]))
    every = [id(p) for group in groups for p in group.params]
    if len(set(every)) != len(every):
        raise ModelError("optimiser: a parameter is in two groups, or in one twice")
    return groups


def _group(options: Mapping[str, Any]) -> ParameterGroup:
    unknown = sorted(set(options) - {"params", *OPTIONS})
    if unknown or "params" not in options:
        raise ModelError(
            f"optimiser: a group takes params, {', '.join(OPTIONS)}, got {', '.join(sorted(options))}"
        )
    return ParameterGroup(
        tuple(options["params"]),
        float(options["lr"]),
        float(options["weight_decay"]),
        bool(options["frozen"]),
    )
