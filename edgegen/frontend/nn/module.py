"""The base of all modules: parameters found by attribute, weights by name, one tree to print."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self, TypeVar

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError
from edgegen.frontend import mode
from edgegen.frontend.state import check_state
from edgegen.frontend.tape import Array
from edgegen.frontend.tensor import Buffer, Parameter, Tensor, as_tensor

T = TypeVar("T")


class Module:
    """A part of a network: parameters, buffers and further modules as attributes, and `forward`.

    Whatever is assigned to an attribute is found, also in lists, tuples and dicts; its name is the path of
    attributes, such as `stem.weight` or `blocks.0.weight`. No base constructor has to be called. What is
    reachable by two paths counts once, by the first.
    """

    training: bool = True
    # Subclasses define it as a method with the inputs that they take.
    forward: Callable[..., Tensor]

    def __call__(self, *inputs: Tensor | npt.NDArray[Any]) -> Tensor:
        """Run `forward`; arrays become constant tensors."""
        if not hasattr(self, "forward"):
            raise ModelError(f"{type(self).__name__}: has no forward method")
        names = mode.current().names
        if names is None:
            names = {id(module): name for name, module in self.named_modules()}
        path = names.get(id(self), mode.current().module)
        with mode.module_scope(path, names):
            return self.forward(*(as_tensor(x) for x in inputs))

    def children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly below, with their names."""
        return ((name, value) for name, value in _members(self) if isinstance(value, Module))

    def named_modules(self) -> Iterator[tuple[str, Module]]:
        """This module (named "") and all below, parents first."""
        seen: set[int] = set()
        stack: list[tuple[str, Module]] = [("", self)]
        while stack:
            name, module = stack.pop()
            if id(module) not in seen:
                seen.add(id(module))
                yield name, module
                stack.extend(
                    (_join(name, child), value) for child, value in reversed(list(module.children()))
                )

    def named_parameters(self) -> Iterator[tuple[str, Parameter]]:
        """All parameters here and below."""
        return self._named(Parameter)

    def named_buffers(self) -> Iterator[tuple[str, Buffer]]:
        """All buffers here and below."""
        return self._named(Buffer)

    def parameters(self) -> list[Parameter]:
        """All parameters here and below, for an optimiser."""
        return [parameter for _, parameter in self.named_parameters()]

    def _named(self, kind: type[T]) -> Iterator[tuple[str, T]]:
        seen: set[int] = set()
        for path, module in self.named_modules():
            for name, value in _members(module):
                if isinstance(value, kind) and id(value) not in seen:
                    seen.add(id(value))
                    yield _join(path, name), value

    def _state(self) -> dict[str, Tensor]:
        return {**dict(self.named_parameters()), **dict(self.named_buffers())}

    def state_dict(self) -> dict[str, Array]:
        """Copies of all parameters and buffers by name."""
        return {name: np.array(tensor.data) for name, tensor in self._state().items()}

    def load_state_dict(
        self, state: Mapping[str, Array], *, origin: str = "state", finite: bool = True
    ) -> None:
        """Take over `state`: exactly the names, shapes and types of `state_dict()`.

        Everything missing, surplus, mis-shaped, mis-typed and (with `finite`) every NaN or infinity is listed
        in one `ModelError` that begins with `origin`; then nothing has changed.
        """
        own = self._state()
        check_state({name: t.data for name, t in own.items()}, state, origin=origin, finite=finite)
        for name, tensor in own.items():
            tensor.data = np.array(state[name], tensor.dtype)

    def train(self, mode: bool = True) -> Self:
        """Switch this module and all below to training (batch statistics, dropout), or off."""
        for _, module in self.named_modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Switch to inference: what is frozen and shipped."""
        return self.train(False)

    @contextmanager
    def evaluating(self) -> Iterator[None]:
        """Inference for the time of a block: afterwards every module is in the mode it was in."""
        before = [(module, module.training) for _, module in self.named_modules()]
        self.eval()
        try:
            yield
        finally:
            for module, training in before:
                module.training = training

    def astype(self, dtype: npt.DTypeLike) -> Self:
        """Convert all parameters and buffers, in place; float64 serves gradient checks."""
        for tensor in self._state().values():
            tensor._data = tensor._data.astype(dtype)
            tensor.grad = None
        return self

    def zero_grad(self) -> None:
        """Forget the gradients of all parameters."""
        for parameter in self.parameters():
            parameter.grad = None

    def parameter_count(self) -> int:
        """The number of trainable values here and below."""
        return sum(parameter.size for parameter in self.parameters())

    def describe(self) -> str:
        """What the constructor was told, for the printed tree; subclasses add theirs."""
        return ""

    def __repr__(self) -> str:
        return "\n".join(_tree(self, ""))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _members(module: Module) -> Iterator[tuple[str, object]]:
    for name, value in vars(module).items():
        yield from _expand(name, value)


def _expand(name: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _expand(f"{name}.{index}", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _expand(f"{name}.{key}", item)
    elif isinstance(value, Module | Parameter | Buffer):
        yield name, value


def _tree(module: Module, indent: str) -> Iterator[str]:
    described = f"({module.describe()})" if module.describe() else ""
    tensors = [f"{name} {value.shape}" for name, value in _members(module) if isinstance(value, Parameter)]
    shapes = f" {', '.join(tensors)}" if tensors else ""
    count = f" - {module.parameter_count():,} parameters" if module.parameter_count() else ""
    yield f"{type(module).__name__}{described}{shapes}{count}"
    for name, child in module.children():
        first, *rest = _tree(child, indent)
        yield f"{indent}  {name}: {first}"
        yield from (f"{indent}  {line}" for line in rest)
