"""Running compilers and PlatformIO."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

from edgegen.codegen.toolchain import (
    build_shared,
    cache_folder,
    first_errors,
    run_pio,
    run_tool,
    tool_environment,
    zig_cc,
)
from edgegen.errors import ToolError

SOURCE = '#include "half.h"\nint half(int value)\n{\n    return value / HALF;\n}\n'
HEADER = "#define HALF 2\nint half(int value);\n"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "ä b"
    folder.mkdir()
    (folder / "half.h").write_text(HEADER, encoding="utf-8")
    (folder / "half.c").write_text(SOURCE, encoding="utf-8")
    return folder / "half.c"


def test_a_shared_library_can_be_called(source: Path) -> None:
    assert ctypes.CDLL(str(build_shared([source]))).half(42) == 21


def test_a_shared_library_is_compiled_once(source: Path) -> None:
    first = build_shared([source])
    time = first.stat().st_mtime_ns
    assert build_shared([source]) == first
    assert first.stat().st_mtime_ns == time


def test_any_change_gives_another_library(source: Path) -> None:
    found = {build_shared([source])}
    found.add(build_shared([source], flags=["-DOTHER"]))
    source.with_name("half.h").write_text(HEADER.replace("2", "3"), encoding="utf-8")
    changed = build_shared([source])
    found.add(changed)
    assert len(found) == 3
    assert ctypes.CDLL(str(changed)).half(42) == 14


def test_a_library_that_does_not_compile_leaves_nothing(source: Path) -> None:
    source.write_text(SOURCE.replace("return", "retrun"), encoding="utf-8")
    before = set((cache_folder() / "shared").rglob("*library*"))
    with pytest.raises(ToolError, match=r"half\.c:4:5: error"):
        build_shared([source])
    assert set((cache_folder() / "shared").rglob("*library*")) == before


def test_warnings_are_errors(source: Path) -> None:
    source.write_text(
        "int half(int value)\n{\n    char small = value;\n    return small;\n}\n", encoding="utf-8"
    )
    with pytest.raises(ToolError, match="error"):
        build_shared([source])


def test_a_bad_option_is_reported() -> None:
    with pytest.raises(ToolError, match="zig cc failed"):
        zig_cc(["--no-such-option"])


def test_a_missing_program_and_one_that_does_not_end() -> None:
    with pytest.raises(ToolError, match="no-such-program cannot be run"):
        run_tool(["no-such-program"])
    with pytest.raises(ToolError, match=r"did not end within 0\.2 seconds"):
        run_tool([sys.executable, "-c", "import time; time.sleep(20)"], timeout_s=0.2)


def test_a_folder_without_a_project_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"build of host in .* failed"):
        run_pio(tmp_path, "host")


def test_the_first_error_is_shown_and_the_summary_is_not() -> None:
    text = "Compiling a.o\na.c:1:2: error: no\nmore\n*** [a.o] Error 1\n==== [FAILED] ====\n"
    assert first_errors(text) == "a.c:1:2: error: no\nmore"
    assert first_errors("one\ntwo\n") == "one\ntwo"


def test_settings_of_the_user_do_not_reach_a_build(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PLATFORMIO_BUILD_FLAGS", "-DSTRANGE")
    monkeypatch.setenv("EDGEGEN_CACHE", str(tmp_path))
    environment = tool_environment({"EXTRA": "1"})
    assert "PLATFORMIO_BUILD_FLAGS" not in environment
    assert environment["PLATFORMIO_CORE_DIR"] == str(tmp_path / "platformio")
    assert environment["EXTRA"] == "1"
