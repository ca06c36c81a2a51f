"""What differs between two runs, and conditions that a run is held against."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edgegen.errors import UsageError
from edgegen.frontend.record.run import Run
from edgegen.frontend.trainer.settings import flattened

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
CONDITION = re.compile(r"\s*([^\s@<>=!]+)(?:@(\w+))?\s*(>=|<=|==|!=|>|<)\s*(\S+)\s*")
NOT_VALUES = ("epoch",)


@dataclass(frozen=True)
class Condition:
    """`value NAME at EPOCH` held against a number; `at` is an epoch, last, min or max."""

    name: str
    at: str
    operator: str
    number: float
    text: str


@dataclass(frozen=True)
class Verdict:
    """A condition, the value that the run has for it, and whether it holds."""

    condition: Condition
    value: float
    holds: bool


@dataclass(frozen=True)
class Difference:
    """A value that two runs do not share, by its path; None where one lacks it."""

    path: str
    first: Any
    second: Any


def parse_condition(text: str) -> Condition:
    """A condition such as `val/accuracy@100 >= 0.97`. UsageError for what is none."""
    found = CONDITION.fullmatch(text)
    at = (found.group(2) or "last") if found else ""
    number = _number(found.group(4)) if found else None
    if found is None or number is None or not (at in ("last", "min", "max") or at.isdigit()):
        raise UsageError(
            f"condition {text!r}: takes NAME[@EPOCH] OPERATOR NUMBER, such as 'val/accuracy@100 >= 0.97'; "
            f"EPOCH is a number, last, min or max, OPERATOR one of {' '.join(OPERATORS)}"
        )
    return Condition(found.group(1), at, found.group(3), number, text.strip())


def check(run: Run, condition: Condition) -> Verdict:
    """Hold a run against a condition. UsageError if it has no such value."""
    value = _value(run, condition)
    return Verdict(condition, value, OPERATORS[condition.operator](value, condition.number))


def _value(run: Run, condition: Condition) -> float:
    epochs = [(int(epoch["epoch"]), epoch[condition.name]) for epoch in run.epochs if condition.name in epoch]
    numbers = [(epoch, float(value)) for epoch, value in epochs if isinstance(value, int | float)]
    if not numbers:
        known = sorted({key for epoch in run.epochs for key in epoch} - set(NOT_VALUES))
        raise UsageError(
            f"condition {condition.text!r}: run '{run.name}' has no number {condition.name}; it has "
            f"{', '.join(known) or 'no epochs'}"
        )
    if condition.at in ("min", "max"):
        values = [value for _, value in numbers]
        # A NaN is no extreme, but it must not hide either.
        extreme = min(values) if condition.at == "min" else max(values)
        return math.nan if any(math.isnan(value) for value in values) else extreme
    wanted = numbers[-1][0] if condition.at == "last" else int(condition.at)
    if wanted not in dict(numbers):
        raise UsageError(
            f"condition {condition.text!r}: run '{run.name}' has the epochs {numbers[0][0]} to "
            f"{numbers[-1][0]}, and is {run.status}"
        )
    return dict(numbers)[wanted]


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def differences(first: Run, second: Run) -> list[Difference]:
    """What differs in structure, settings, seeds, data and versions, and in the values of the last epochs."""
    one, other = dict(flattened(_compared(first))), dict(flattened(_compared(second)))
    return [
        Difference(path, one.get(path), other.get(path))
        for path in [*one, *(path for path in other if path not in one)]
        if not _equal(one.get(path), other.get(path))
    ]


def _compared(run: Run) -> dict[str, Any]:
    last = {key: value for key, value in (run.epochs[-1] if run.epochs else {}).items() if key != "seconds"}
    return {
        "status": run.status,
        "parameters": run.structure.get("parameters"),
        "tensors": run.structure.get("tensors", {}),
        "hyperparameters": run.hyperparameters,
        "seeds": run.seeds,
        "data": run.data,
        "versions": run.versions,
        "last": last,
    }


def _equal(one: Any, other: Any) -> bool:
    both_nan = isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other)
    return both_nan or bool(one == other)
