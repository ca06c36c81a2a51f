"""Modules made of modules."""

from __future__ import annotations

from collections.abc import Iterator

from edgegen.frontend.nn.module import Module
from edgegen.frontend.nn.stateless import Identity
from edgegen.frontend.tensor import Tensor


class Sequential(Module):
    """One module after the other; their names are "0", "1" and so on, or the keywords."""

    def __init__(self, *modules: Module, **named: Module) -> None:
        for name, module in [*((str(i), m) for i, m in enumerate(modules)), *named.items()]:
            if hasattr(type(self), name):
                raise ValueError(
                    f"Sequential: a module cannot be named '{name}', which is one of its attributes"
                )
            setattr(self, name, module)

    def __iter__(self) -> Iterator[Module]:
        return (module for _, module in self.children())

    def __len__(self) -> int:
        return sum(1 for _ in self.children())

    def __getitem__(self, index: int) -> Module:
        return list(self)[index]

    def forward(self, x: Tensor) -> Tensor:
        for module in self:
            x = module(x)
        return x


class Residual(Module):
    """shortcut(x) + body(x); the shortcut is x itself by default."""

    def __init__(self, body: Module, shortcut: Module | None = None) -> None:
        self.body = body
        self.shortcut = Identity() if shortcut is None else shortcut

    def forward(self, x: Tensor) -> Tensor:
        return self.shortcut(x) + self.body(x)
