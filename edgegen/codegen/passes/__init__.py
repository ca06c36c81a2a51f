"""Passes over graphs. A pass is a frozen object with a name; the graph is checked after each one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from edgegen.codegen.check import check_graph
from edgegen.codegen.graph import Graph


class Pass(Protocol):
    """A transformation: the same function of the inputs, another graph."""

    @property
    def name(self) -> str: ...

    def apply(self, graph: Graph) -> Graph: ...


def run(graph: Graph, passes: Iterable[Pass]) -> Graph:
    """Apply passes in order, and check the graph after each. ModelError names the pass that broke it."""
    for transformation in passes:
        graph = check_graph(transformation.apply(graph), after=transformation.name)
    return graph
