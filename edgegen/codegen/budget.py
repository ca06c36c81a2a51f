"""Budgets: what an image takes against what the target has, and which layers take most."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from edgegen.codegen.lower import LoweredGraph
from edgegen.codegen.plan import Buffer, MemoryPlan
from edgegen.emulate import ImageSizes
from edgegen.errors import BudgetError, MismatchError, problems
from edgegen.targets import Target

SHOWN = 3


@dataclass(frozen=True)
class SizeReport:
    """Bytes of a built image; harness and start-up are in `flash_bytes` but not in `model_flash_bytes`.

    `ram_bytes` is what the model needs: arena, state, other variables (`data_bytes`) and its stack: the bound
    that the image proves, else the deepest use seen. `image_ram_bytes` has the harness too.
    """

    flash_bytes: int
    model_flash_bytes: int
    constant_bytes: int
    code_bytes: int
    arena_bytes: int
    state_bytes: int
    data_bytes: int
    stack_bound: int | None
    stack_seen: int | None
    image_ram_bytes: int
    flash_budget: int
    ram_budget: int

    @property
    def stack_bytes(self) -> int | None:
        return self.stack_seen if self.stack_bound is None else self.stack_bound

    @property
    def ram_bytes(self) -> int:
        return self.arena_bytes + self.state_bytes + self.data_bytes + (self.stack_bytes or 0)

    def with_stack(self, seen: int | None) -> SizeReport:
        """The deepest use seen in emulation. MismatchError where it goes beyond the bound."""
        if seen is not None and self.stack_bound is not None and seen > self.stack_bound:
            raise MismatchError(f"the stack was {seen} bytes deep, its bound is {self.stack_bound}")
        return replace(self, stack_seen=seen)


def check_plan(lowered: LoweredGraph, plan: MemoryPlan, target: Target) -> None:
    """Refuse, before anything is written, what cannot fit. BudgetError says by how much and names layers."""
    budget = target.budget
    constants = sum(step.constant_bytes for step in lowered.steps)
    found = []
    if constants > budget.flash_bytes:
        found.append(
            f"constants take {constants} bytes of {budget.flash_bytes} bytes of flash, "
            f"{constants - budget.flash_bytes} too many; the largest: {_largest_layers(lowered)}"
        )
    needed = plan.arena_bytes + plan.state_bytes + budget.stack_bytes
    if needed > budget.ram_bytes:
        found.append(
            f"arena, state and stack take {needed} bytes of {budget.ram_bytes} bytes of RAM, "
            f"{needed - budget.ram_bytes} too many; the largest: {_largest_buffers(plan.buffers)}"
        )
    if found:
        raise BudgetError(problems(f"{lowered.graph.name} does not fit {target.name}:", found))


def check_image(
    lowered: LoweredGraph, plan: MemoryPlan, image: ImageSizes, target: Target, *, stack_bound: int | None
) -> SizeReport:
    """Sizes of a built image. BudgetError if it exceeds the target's flash, RAM or stack."""
    budget = target.budget
    found = []
    if stack_bound is not None and stack_bound > budget.stack_bytes:
        found.append(
            f"the model may need {stack_bound} bytes of a stack of {budget.stack_bytes} bytes, "
            f"{stack_bound - budget.stack_bytes} too many; see --stack"
        )
    if image.flash > budget.flash_bytes:
        found.append(
            f"the image takes {image.flash} bytes of {budget.flash_bytes} bytes of flash, "
            f"{image.flash - budget.flash_bytes} too many; the largest layers: {_largest_layers(lowered)}"
        )
    if image.ram > budget.ram_bytes:
        found.append(
            f"the image takes {image.ram} bytes of {budget.ram_bytes} bytes of RAM, "
            f"{image.ram - budget.ram_bytes} too many; the largest buffers: {_largest_buffers(plan.buffers)}"
        )
    if found:
        raise BudgetError(problems(f"{lowered.graph.name} does not fit {target.name}:", found))
    return SizeReport(
        flash_bytes=image.flash,
        model_flash_bytes=image.flash - image.harness_code,
        constant_bytes=image.constants,
        code_bytes=image.code,
        arena_bytes=plan.arena_bytes,
        state_bytes=plan.state_bytes,
        data_bytes=_model_data(image, plan, target),
        stack_bound=stack_bound,
        stack_seen=None,
        image_ram_bytes=image.ram,
        flash_budget=budget.flash_bytes,
        ram_budget=budget.ram_bytes,
    )


def _model_data(image: ImageSizes, plan: MemoryPlan, target: Target) -> int:
    """Variables of the model beside arena and state, where the image tells them from the harness's."""
    if target.suffix != ".elf":
        return 0
    return max(0, image.data + image.bss - image.harness_bss - plan.arena_bytes - plan.state_bytes)


def overflow(said: str) -> str | None:
    """What a linker or PlatformIO says of a limit, in one way; None if it speaks of something else."""
    linker = re.search(r"(?:region '(\w+)'.*?)?overflowed by (\d+) bytes", said)
    if linker is not None:
        return f"the image exceeds its budget of {linker[1] or 'memory'} by {linker[2]} bytes"
    check = re.search(
        r"The (program|data) size \((\d+) bytes\) is greater than maximum allowed \((\d+)", said
    )
    if check is None:
        return None
    kind, size, limit = {"program": "flash", "data": "RAM"}[check[1]], int(check[2]), int(check[3])
    return f"the image takes {size} bytes of {limit} bytes of {kind}, {size - limit} too many"


def largest_parts(lowered: LoweredGraph, plan: MemoryPlan) -> str:
    """Where to begin to save."""
    return (
        f"the largest constants: {_largest_layers(lowered)}\n"
        f"the largest buffers: {_largest_buffers(plan.buffers)}"
    )


def _largest_layers(lowered: LoweredGraph) -> str:
    steps = sorted(lowered.steps, key=lambda step: -step.constant_bytes)[:SHOWN]
    return ", ".join(f"{step.node.op} '{step.node.name}' {step.constant_bytes}" for step in steps)


def _largest_buffers(buffers: Sequence[Buffer]) -> str:
    largest = sorted(buffers, key=lambda buffer: -buffer.bytes)[:SHOWN]
    return ", ".join(
        f"'{buffer.tensors[0] if buffer.tensors else 'scratch'}' {buffer.bytes}" for buffer in largest
    )
