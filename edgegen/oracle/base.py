"""What the oracles have in common: their results and how they fail."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from edgegen.codegen.graph import Array
from edgegen.errors import MismatchError


class OracleError(MismatchError):
    """The other runtime could not run the model: it refused, crashed, or did not finish."""


@dataclass(frozen=True, eq=False)
class Trace:
    """Outputs, and every tensor by its index in the file's main subgraph, each (V, *shape)."""

    outputs: tuple[Array, ...]
    tensors: Mapping[int, Array]
