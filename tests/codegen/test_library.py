"""The emitted library in somebody else's PlatformIO project, with another platform."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from edgegen.codegen.toolchain import run_pio, zig_program
from edgegen.targets.files import FIRMWARE
from tests.codegen.models import cnn, stateful, write_library

CONFIGURATION = """
[platformio]
platforms_dir = ${platformio.workspace_dir}/platforms

[env:theirs]
platform = symlink://${PROJECT_DIR}/theirs
board = some_board
"""
BUILDER = """
from SCons.Script import Default, DefaultEnvironment

env = DefaultEnvironment()
zig = '"%s"'
env.Replace(CC=zig + " cc", LINK=zig + " cc", AR=zig + " ar", RANLIB=zig + " ranlib", ARFLAGS=["rcs"])
env.Replace(PROGNAME="program", PROGSUFFIX=".exe")
env.Append(CCFLAGS=["-Os", "-funsigned-char", "-mcpu=baseline"], LINKFLAGS=["-mcpu=baseline", "-O1"])
Default(env.BuildProgram())
"""
MAIN = """
#include "counter.h"
#include "small_net.h"

int main(void)
{
    return small_net_selftest() == SMALL_NET_OK && counter_selftest() == COUNTER_OK ? 0 : 1;
}
"""
BOARD = {
    "build": {"mcu": "theirs"},
    "name": "Some board",
    "vendor": "Somebody",
    "url": "https://example.org",
    "upload": {"maximum_size": 1 << 30, "maximum_ram_size": 1 << 30},
}


def write_platform(folder: Path) -> None:
    """A development platform that shares nothing with edgegen's but where SCons comes from."""
    (folder / "builder").mkdir(parents=True)
    (folder / "boards").mkdir()
    text = (FIRMWARE / "platform" / "platform.py").read_text(encoding="utf-8")
    (folder / "platform.py").write_text(text.replace("EdgegenPlatform", "TheirsPlatform"), encoding="utf-8")
    manifest = {"name": "theirs", "title": "Theirs", "version": "1.0.0", "packages": {}}
    (folder / "platform.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "boards" / "some_board.json").write_text(json.dumps(BOARD), encoding="utf-8")
    (folder / "builder" / "main.py").write_text(BUILDER % zig_program().as_posix(), encoding="utf-8")


def test_two_libraries_in_a_project_with_another_platform(tmp_path: Path) -> None:
    project = tmp_path / "their project"
    write_platform(project / "theirs")
    for graph in (cnn(), stateful()):
        library = write_library(graph, tmp_path / "emitted")
        shutil.copytree(library, project / "lib" / library.name)
    (project / "src").mkdir()
    (project / "src" / "main.c").write_text(MAIN, encoding="utf-8")
    (project / "platformio.ini").write_text(CONFIGURATION, encoding="utf-8")
    run_pio(project, "theirs")
    program = project / ".pio" / "build" / "theirs" / "program.exe"
    assert subprocess.run([program], timeout=60, check=False).returncode == 0
