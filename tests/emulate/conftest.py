"""Images that are built once for all tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from edgegen.targets import load_target
from tests.firmware.demo import MODEL, build_demo

COMPILERS = {"cortex-m4": "arm-none-eabi-gcc", "cortex-a53": "aarch64-linux-gnu-gcc", "host": "gcc"}
ImageBuilder = Callable[..., Path]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> ImageBuilder:
    """A function (target name, model, compiler, trace) -> image, with a memory."""
    known: dict[tuple[str, str, str, bool], Path] = {}

    def build(name: str, *, model: str = MODEL, compiler: str = "zig", trace: bool = False) -> Path:
        if compiler == "gcc" and shutil.which(COMPILERS[name]) is None:
            pytest.skip(f"{COMPILERS[name]} is not installed")
        key = (name, model, compiler, trace)
        if key not in known:
            folder = tmp_path_factory.mktemp("project")
            known[key] = build_demo(folder, load_target(name), model=model, compiler=compiler, trace=trace)
        return known[key]

    return build
