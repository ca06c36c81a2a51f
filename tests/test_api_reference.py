"""The reference names everything public, says something of it, and is the same every time."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parent.parent / "ci" / "api_reference.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("api_reference", SCRIPT)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


API = script()


@pytest.mark.parametrize("name", API.MODULES)
def test_everything_public_is_documented(name: str) -> None:
    module = importlib.import_module(name)
    assert inspect.getdoc(module)
    silent = [
        member
        for member, value in API.public(module)
        if not value.__doc__ or value.__doc__.startswith(f"{value.__name__}(")  # what dataclasses fill in
    ]
    assert silent == []


def test_each_thing_is_told_once() -> None:
    text = API.reference()
    for name in API.MODULES[1:]:
        module = importlib.import_module(name)
        for member, _ in API.public(module):
            assert f"\n### {member}\n" in text, f"{name}.{member} is missing"
    assert text.count("\n### Trainer\n") == text.count("\n### DataLoader\n") == 1
    assert " at 0x" not in text and "(*, self" not in text


def test_signatures() -> None:
    def plain(a: int, *rest: str, b: float = 1.0, c=len, **more: bytes) -> list[int]:
        raise NotImplementedError

    assert API.signature(plain) == (
        "(a: int, *rest: str, b: float = 1.0, c=<built-in function len>, **more: bytes) -> list[int]"
    )

    def keywords(*, loss=plain, x=None) -> None:
        raise NotImplementedError

    assert API.signature(keywords) == "(*, loss=plain, x=None)"


def test_the_same_bytes_every_time(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.md", "two.md")]
    for seed, file in enumerate(files):
        environment = {**os.environ, "PYTHONHASHSEED": str(seed + 1)}
        subprocess.run([sys.executable, str(SCRIPT), str(file)], check=True, env=environment, timeout=60)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert subprocess.run([sys.executable, str(SCRIPT), "a", "b"], check=False, stderr=-3).returncode == 2
