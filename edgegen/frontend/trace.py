"""Running a module once to learn what it does: the first half of freezing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from edgegen.errors import EdgegenError, ModelError
from edgegen.frontend import mode
from edgegen.frontend.nn.module import Module
from edgegen.frontend.tape import Array, Tape, tape
from edgegen.frontend.tensor import Tensor


@dataclass(frozen=True, eq=False)
class Trace:
    """What a module did with sample inputs.

    `tape` holds every operation in order; `names` the dotted names of parameters and buffers by identity. A
    tensor without a record that is neither an input nor named is a constant of the code.
    """

    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    tape: Tape
    names: Mapping[int, str]

    def __str__(self) -> str:
        return self.tape.table(self.names)

    def name_of(self, tensor: Tensor) -> str | None:
        """The dotted name of a parameter or buffer."""
        return self.names.get(id(tensor))


def trace(module: Module, *samples: Array) -> Trace:
    """Run `module` on samples (with their batch axis), in `eval()` for the time being, and record it all.

    Raises `ModelError` where the module's Python reads a value that depends on an input, naming the line;
    where it raises on its own; where an input does not reach an output.
    """
    inputs = tuple(Tensor(sample, name=f"input{i}" if i else "input") for i, sample in enumerate(samples))
    for tensor in inputs:
        tensor._traced = True
    with module.evaluating(), mode.tracing():
        outputs = _outputs(_run(module, inputs))
    found = tape(*outputs)
    _check_reach(inputs, outputs, found)
    named = [*module.named_parameters(), *module.named_buffers()]
    return Trace(inputs, outputs, found, {id(tensor): name for name, tensor in named})


def _run(module: Module, inputs: tuple[Tensor, ...]) -> object:
    try:
        return module(*inputs)
    except EdgegenError:
        raise
    except Exception as error:
        where = _innermost(error)
        raise ModelError(
            f"the model raised {type(error).__name__} while it was traced with inputs of shape "
            f"{', '.join(str(t.shape) for t in inputs)}, at {where} (`{where.text}`): {error}"
        ) from error


def _innermost(error: Exception) -> mode.SourceLine:
    step = error.__traceback__
    assert step is not None
    found = mode.SourceLine(step.tb_frame.f_code.co_filename, step.tb_lineno)
    while step is not None:
        line = mode.SourceLine(step.tb_frame.f_code.co_filename, step.tb_lineno)
        found = found if mode.is_ours(line.file) else line
        step = step.tb_next
    return found


def _outputs(result: object) -> tuple[Tensor, ...]:
    outputs = tuple(result) if isinstance(result, tuple | list) else (result,)
    wrong = [type(o).__name__ for o in outputs if not isinstance(o, Tensor)]
    if wrong or not outputs:
        raise ModelError(f"the model gives tensors, got {', '.join(wrong) or 'nothing'}")
    return tuple(o for o in outputs if isinstance(o, Tensor))


def _check_reach(inputs: tuple[Tensor, ...], outputs: tuple[Tensor, ...], found: Tape) -> None:
    for index, output in enumerate(outputs):
        if not output._traced:
            raise ModelError(
                f"output {index} of the model does not depend on its input: it would be a constant"
            )
    used = {id(t) for record in found for t in record.inputs} | {id(t) for t in outputs}
    for tensor in inputs:
        if id(tensor) not in used:
            raise ModelError(f"the model does not use '{tensor.name}' of shape {tensor.shape}")
