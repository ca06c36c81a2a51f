"""The operators, one a module. A module with an `OPERATOR` is registered by being here."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from types import MappingProxyType

from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType
from edgegen.errors import ModelError

__all__ = ["Call", "NodeView", "Operator", "Params", "TensorType", "by_tflite_name", "get", "registry"]


@cache
def registry() -> MappingProxyType[str, Operator]:
    """All operators by name, in order of name."""
    found: dict[str, Operator] = {}
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        operator = getattr(importlib.import_module(f"{__name__}.{module}"), "OPERATOR", None)
        if operator is not None:
            found[operator.name] = operator
    return MappingProxyType(found)


def get(name: str) -> Operator:
    """The operator of that name; ModelError with the nearest names otherwise."""
    try:
        return registry()[name]
    except KeyError:
        near = difflib.get_close_matches(name, registry(), n=3)
        hint = f"; the nearest: {', '.join(near)}" if near else ""
        raise ModelError(f"unknown operator '{name}'{hint}") from None


@cache
def by_tflite_name() -> MappingProxyType[str, Operator]:
    """Operators by the name of their .tflite builtin."""
    return MappingProxyType({op.tflite: op for op in registry().values() if op.tflite is not None})
