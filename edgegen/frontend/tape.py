"""The tape: what was computed, from what, on which line; and the way back through it.

Every tensor that an operation made knows its `Record`, every record its input tensors, so the tape needs no
list of its own: `tape(loss)` collects it, printable as a table, and `backward_steps(loss)` walks it one
record at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend.mode import SourceLine

if TYPE_CHECKING:
    from edgegen.frontend.tensor import Tensor

Array: TypeAlias = npt.NDArray[Any]
Attr: TypeAlias = int | float | bool | str | tuple["Attr", ...]
# From the gradient of the output to the gradients of the inputs; None where an input has none.
Pull: TypeAlias = Callable[[Array], tuple[Array | None, ...]]


@dataclass(frozen=True, eq=False)
class Record:
    """One operation as it was carried out.

    `op` and `attrs` use the code generator's operator names and attribute keys. `pull` maps the gradient of
    the output to those of `inputs`; it is None for operations without a gradient. `module` is the dotted path
    of the module that ran it (empty outside any), `source` the user's line.
    """

    op: str
    attrs: Mapping[str, Attr]
    inputs: tuple[Tensor, ...]
    pull: Pull | None
    module: str
    source: SourceLine


@dataclass(frozen=True, eq=False)
class Tape:
    """Recorded tensors in the order of computation: inputs of an operation always come before it."""

    tensors: tuple[Tensor, ...]

    @property
    def records(self) -> tuple[Record, ...]:
        """The records in order."""
        return tuple(t.record for t in self.tensors if t.record is not None)

    def __len__(self) -> int:
        return len(self.tensors)

    def __iter__(self) -> Iterator[Record]:
        return iter(self.records)

    def __str__(self) -> str:
        return self.table({})

    def table(self, names: Mapping[int, str]) -> str:
        """A printable table; `names` are those of parameters and the like, by identity."""
        numbers = {**names, **{id(t): f"%{i}" for i, t in enumerate(self.tensors)}}
        header = ("#", "op", "inputs", "shape", "attributes", "module", "line")
        return _table([header, *(_row(t, numbers) for t in self.tensors)])


def _row(tensor: Tensor, numbers: Mapping[int, str]) -> tuple[str, ...]:
    record = tensor.record
    assert record is not None
    inputs = " ".join(numbers.get(id(t)) or t.name or f"const{t.shape}" for t in record.inputs)
    attrs = " ".join(f"{key}={value}" for key, value in record.attrs.items())
    number = numbers[id(tensor)]
    return number, record.op, inputs, str(tensor.shape), attrs, record.module, str(record.source)


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def tape(*outputs: Tensor) -> Tape:
    """All recorded operations that led to `outputs`, in topological order."""
    order: list[Tensor] = []
    seen: set[int] = set()
    stack = [(t, False) for t in reversed(outputs)]
    while stack:
        tensor, inputs_done = stack.pop()
        if inputs_done:
            order.append(tensor)
        elif id(tensor) not in seen and tensor.record is not None:
            seen.add(id(tensor))
            stack.append((tensor, True))
            stack.extend((t, False) for t in reversed(tensor.record.inputs))
    return Tape(tuple(order))


@dataclass(frozen=True, eq=False)
class BackwardStep:
    """One record walked backwards: the gradient that arrived at `output`, and those passed to its inputs."""

    output: Tensor
    record: Record
    gradient: Array
    input_gradients: tuple[Array | None, ...]

    def __str__(self) -> str:
        passed = ", ".join(
            "-" if g is None else f"{g.shape} norm {_norm(g):.3g}" for g in self.input_gradients
        )
        module = f" {self.record.module}" if self.record.module else ""
        arrived = f"{self.gradient.shape} norm {_norm(self.gradient):.3g}"
        return f"{self.record.op}{module} ({self.record.source}): {arrived} -> {passed}"


def _norm(gradient: Array) -> float:
    return float(np.linalg.norm(gradient.ravel()))


def backward_steps(output: Tensor, gradient: Array | None = None) -> Iterator[BackwardStep]:
    """Walk the tape of `output` backwards, one record a step, adding to `grad` of the leaves on the way.

    `gradient` has the shape of `output`; it may be left out for a single element, where it is one.
    """
    pending = {id(output): _seed(output, gradient)}
    _accumulate(output, pending[id(output)])
    for tensor in reversed(tape(output).tensors):
        arrived = pending.pop(id(tensor), None)
        if arrived is not None and tensor.requires_grad:
            step = _step(tensor, arrived)
            _distribute(step, pending)
            yield step


def _seed(output: Tensor, gradient: Array | None) -> Array:
    if not output.requires_grad:
        raise ModelError("backward: this tensor does not depend on anything that requires a gradient")
    if gradient is None and output.size != 1:
        raise ModelError(f"backward: a tensor of shape {output.shape} needs the gradient= to start from")
    seed = np.ones(output.shape, output.dtype) if gradient is None else np.asarray(gradient, output.dtype)
    if seed.shape != output.shape:
        raise ModelError(f"backward: gradient takes the shape {output.shape} of the tensor, got {seed.shape}")
    return seed


def _step(tensor: Tensor, gradient: Array) -> BackwardStep:
    record = tensor.record
    assert record is not None and record.pull is not None
    return BackwardStep(tensor, record, gradient, record.pull(gradient))


def _distribute(step: BackwardStep, pending: dict[int, Array]) -> None:
    for tensor, gradient in zip(step.record.inputs, step.input_gradients, strict=True):
        if gradient is None or not tensor.requires_grad:
            continue
        _accumulate(tensor, gradient)
        if tensor.record is not None:
            known = pending.get(id(tensor))
            pending[id(tensor)] = gradient if known is None else known + gradient


def _accumulate(tensor: Tensor, gradient: Array) -> None:
    if tensor.record is None:
        # A copy: an operation may pass the very array on to two inputs.
        tensor.grad = np.array(gradient) if tensor.grad is None else tensor.grad + gradient
