"""Which kernel files a model needs, copied under the model's prefix."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from edgegen.codegen.hostlib import KERNELS


@dataclass(frozen=True, eq=False)
class KernelFiles:
    """Text by file name, prefixed; `portable` says that none of them is a target's own."""

    texts: Mapping[str, str]
    portable: bool


FEATURES = "features.h"
"""A folder's list of the parts of its kernels that a model may do without, each a macro of the value 1."""


def kernel_files(
    kernels: Iterable[str], model: str, *, own: Path | None, features: Iterable[str] = ()
) -> KernelFiles:
    """The kernels and whatever they include. The target's `own` folder goes before the portable one.

    Features that are not in `features` are switched off. FileNotFoundError means that an operator names a
    kernel that nobody wrote.
    """
    folders = [KERNELS] if own is None else [own, KERNELS]
    wanted = [f"{kernel}.h" for kernel in kernels]
    found: dict[str, Path] = {}
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        path = _find(folders, name)
        if path is None:
            raise FileNotFoundError(f"no kernel file {name} in {', '.join(map(str, folders))}")
        found[name] = path
        wanted += re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8"))
        wanted += _implementations(folders, path)
    bodies = {name: path.read_text(encoding="utf-8") for name, path in sorted(found.items())}
    if FEATURES in bodies:
        bodies[FEATURES] = _switched(bodies[FEATURES], frozenset(features))
    texts = {f"{model}_{name}": prefixed(text, model, found) for name, text in bodies.items()}
    return KernelFiles(texts, portable=all(path.parent == KERNELS for path in found.values()))


def _switched(text: str, features: frozenset[str]) -> str:
    """The list of features with those that are not used at 0."""
    known = frozenset(re.findall(r"#define EDGEGEN_(\w+) 1\n", text))
    assert features <= known, features - known
    return re.sub(
        r"#define EDGEGEN_(\w+) 1\n",
        lambda m: m[0] if m[1] in features else f"#define EDGEGEN_{m[1]} 0\n",
        text,
    )


def prefixed(text: str, model: str, files: Iterable[str]) -> str:
    """Every symbol and macro with the model's prefix, so that two models link into one image."""
    text = re.sub(r"\bedgegen_", f"{model}_", text)
    text = re.sub(r"\bEDGEGEN_", f"{model.upper()}_", text)
    names = set(files)
    return re.sub(
        r'#include "([^"]+)"', lambda m: f'#include "{model}_{m[1]}"' if m[1] in names else m[0], text
    )


def _implementations(folders: Sequence[Path], header: Path) -> list[str]:
    """The code of a header: C or assembler of the first folder that has any of it."""
    if header.suffix != ".h":
        return []
    for folder in folders:
        names = [
            f"{header.stem}{suffix}"
            for suffix in (".c", ".S")
            if (folder / f"{header.stem}{suffix}").is_file()
        ]
        if names:
            return names
    return []


def _find(folders: Sequence[Path], name: str) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)
