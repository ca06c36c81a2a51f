"""Write docs/modules.md by freezing one of each module, or with --check say whether it is up to date."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from edgegen.frontend import nn
from edgegen.frontend.freeze import freeze

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "modules.md"
HEAD = """# Modules

Generated from the code by `python ci/module_table.py`; do not edit.

Each module is made as the second column says and frozen for the input in the third. The last column names
the operators of the float graph, before batch norms are folded and operators are fused; `rng` is a generator
that the caller passes. Recurrent modules are unrolled over the steps of the sequence.

| module | made by | input | output | operators |
|---|---|---|---|---|
"""

IMAGE, SEQUENCE, VECTOR = (1, 6, 6, 4), (1, 3, 4), (1, 8)
WITHOUT_ROW = {"Module", "Sequential", "Residual"}
"""What only holds other modules."""

ARGUMENTS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "AvgPool2d": ("2", IMAGE),
    "BatchNorm1d": ("4", SEQUENCE),
    "BatchNorm2d": ("4", IMAGE),
    "Conv1d": ("4, 5, 2, padding='causal', rng=rng", SEQUENCE),
    "Conv2d": ("4, 8, 3, rng=rng", IMAGE),
    "ConvTranspose2d": ("4, 3, 2, stride=2, rng=rng", IMAGE),
    "Dropout": ("0.5, rng=rng", VECTOR),
    "GRU": ("4, 6, rng=rng", SEQUENCE),
    "LSTM": ("4, 6, rng=rng", SEQUENCE),
    "LayerNorm": ("8", VECTOR),
    "Linear": ("8, 3, rng=rng", VECTOR),
    "MaxPool2d": ("2", IMAGE),
    "MultiHeadAttention": ("4, 2, rng=rng", SEQUENCE),
    "PReLU": ("4", IMAGE),
    "RMSNorm": ("8", VECTOR),
    "Upsample": ("2, kind='bilinear'", IMAGE),
}
"""Arguments and input of the modules that need some; the others take an image without arguments."""


def row(name: str) -> str:
    arguments, shape = ARGUMENTS.get(name, ("", IMAGE))
    module: nn.Module = eval(f"nn.{name}({arguments})", {"nn": nn, "rng": np.random.default_rng(0)})
    graph = freeze(module.eval(), np.linspace(-1, 1, int(np.prod(shape))).reshape(shape), name="module")
    operators = ", ".join(sorted({node.op for node in graph.nodes})) or "none: gone"
    output = graph.output_tensors()[0].shape
    return f"| {name} | `nn.{name}({arguments})` | {shape} | {tuple(output)} | {operators} |"


def table() -> str:
    names = sorted(
        name for name in nn.__all__ if inspect.isclass(getattr(nn, name)) and name not in WITHOUT_ROW
    )
    return HEAD + "\n".join(map(row, names)) + "\n"


def main(arguments: list[str]) -> int:
    text = table()
    if "--check" in arguments:
        current = DOCUMENT.is_file() and DOCUMENT.read_text(encoding="utf-8") == text
        if not current:
            sys.stderr.write("docs/modules.md is out of date; run `python ci/module_table.py`\n")
        return 0 if current else 1
    DOCUMENT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
