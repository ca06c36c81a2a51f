"""Lowering: every node of an integer graph becomes one kernel call, the cheapest that the target offers."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from edgegen.codegen import ops
from edgegen.codegen.graph import Graph, Node
from edgegen.codegen.ops.base import Call, NodeView, members
from edgegen.codegen.regions import Region
from edgegen.errors import ModelError, UsageError, problems
from edgegen.targets import Target

MODES = ("balanced", "speed", "size", "ram")
FLASH_CYCLES = {"balanced": 0.05, "speed": 0.0, "size": 100.0, "ram": 0.05}
"""What a byte of flash is worth in cycles, per mode."""


@dataclass(frozen=True)
class Choice:
    """A kernel that can do a node's work, with its price: modelled cycles, and flash for its constants.

    `modes` are those in which it may be chosen.
    """

    call: Call
    cycles: int
    flash_bytes: int
    reason: str = ""
    modes: tuple[str, ...] = MODES


@dataclass(frozen=True, eq=False)
class Step:
    """One kernel call of the schedule; `choices` are all that it was chosen among."""

    view: NodeView
    call: Call
    choices: tuple[Choice, ...] = ()

    @property
    def node(self) -> Node:
        return self.view.node

    def kernel_of(self, by_rows: bool) -> str:
        """The kernel whose header declares what is called; a layer may have another one by rows."""
        if by_rows and self.call.rows is not None:
            return self.call.rows.kernel
        return self.call.kernel

    @property
    def macs(self) -> int:
        return ops.get(self.node.op).macs(self.view)

    @property
    def constant_bytes(self) -> int:
        """Bytes of the kernel's constant arrays and of constant operands."""
        arrays = sum(v.nbytes for v in members(self.call.params).values() if isinstance(v, np.ndarray))
        operands = (self.view.input(position) for position in self.call.inputs)
        return arrays + sum(tensor.bytes for tensor in operands if tensor.constant)


@dataclass(frozen=True, eq=False)
class LoweredGraph:
    """A graph and its kernel calls, in execution order.

    `kernels` is the target's own kernel folder, where kernels are looked for first. Steps of a region run
    interleaved, row by row.
    """

    graph: Graph
    steps: tuple[Step, ...]
    kernels: Path | None = None
    regions: tuple[Region, ...] = ()


Choices = Callable[[NodeView, Call], Sequence[Choice]]


def lower(graph: Graph, *, target: Target | None = None, mode: str = "balanced") -> LoweredGraph:
    """Kernel calls for all nodes. ModelError lists every node that cannot be lowered."""
    if mode not in MODES:
        raise UsageError(f"unknown mode {mode!r}; one of: {', '.join(MODES)}")
    offers = None if target is None else target_choices(target.folder)
    steps: list[Step] = []
    found: list[str] = []
    for node in graph.nodes:
        view = NodeView.of(graph, node)
        try:
            steps.append(_step(view, offers, mode))
        except ModelError as problem:
            found.append(str(problem))
    if found:
        raise ModelError(problems(f"{graph.name} cannot become firmware:", found))
    return LoweredGraph(graph=graph, steps=tuple(steps), kernels=None if target is None else target.kernels)


def _step(view: NodeView, offers: Choices | None, mode: str) -> Step:
    operator = ops.get(view.node.op)
    call = operator.call(view, operator.prepare(view))
    choices = tuple(offers(view, call)) if offers is not None else ()
    if not choices:
        return Step(view=view, call=call)
    allowed = [choice for choice in choices if mode in choice.modes]
    best = min(allowed, key=lambda choice: choice.cycles + FLASH_CYCLES[mode] * choice.flash_bytes)
    return Step(view=view, call=best.call, choices=choices)


def target_choices(folder: Path) -> Choices | None:
    """The `choices` function of the lowering.py of a target's folder; None where it has none."""
    module = load_lowering(folder)
    return None if module is None else module.choices


@cache
def load_lowering(folder: Path) -> Any:
    """The lowering.py of a target's folder as a module; None where it has none."""
    file = folder / "lowering.py"
    return _load(file) if file.is_file() else None


def _load(file: Path) -> Any:
    """Import a target's module; its folder's name need not be an identifier."""
    name = f"edgegen.targets._{file.parent.name.replace('-', '_')}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
