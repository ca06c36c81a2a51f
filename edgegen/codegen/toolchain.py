"""Runs the tools that turn C into images: PlatformIO for emitted projects, zig for shared libraries.

Nothing here depends on the user's PlatformIO or touches it: builds that edgegen starts keep their tools and
caches in `cache_folder()`. The same project also builds with a plain `pio run` and the user's own folders.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from edgegen.errors import ToolError

WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic")
NATIVE = ("-O2", "-std=c99", "-mcpu=baseline", *WARNINGS)
SHOWN_LINES = 20
# PlatformIO without questions to its servers, colours and progress bars.
QUIET = {
    "PLATFORMIO_SETTING_ENABLE_TELEMETRY": "no",
    "PLATFORMIO_DISABLE_UPGRADE_CHECK": "true",
    "PLATFORMIO_NO_ANSI": "true",
    "PLATFORMIO_DISABLE_PROGRESSBAR": "true",
    "PLATFORMIO_FORCE_ANSI": "false",
    "PYTHONIOENCODING": "utf-8",
}


@dataclass(frozen=True)
class ToolRun:
    """What a tool said, with standard error after standard output."""

    exit_code: int
    text: str


def cache_folder() -> Path:
    """The folder for things that can be made again: $EDGEGEN_CACHE, else the user's cache folder."""
    if override := os.environ.get("EDGEGEN_CACHE"):
        return Path(override)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "edgegen"


def zig_program() -> Path:
    """pip's zig. ToolError if the package is missing."""
    found = importlib.util.find_spec("ziglang")
    if found is None or found.origin is None:
        raise ToolError(f"the zig compiler is missing; try: {sys.executable} -m pip install ziglang")
    return Path(found.origin).parent / ("zig.exe" if os.name == "nt" else "zig")


def tool_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for PlatformIO and zig: quiet, offline, with caches of our own."""
    cache = cache_folder()
    own = {
        "PLATFORMIO_CORE_DIR": str(cache / "platformio"),
        "ZIG_GLOBAL_CACHE_DIR": str(cache / "zig"),
        "ZIG_LOCAL_CACHE_DIR": str(cache / "zig"),
    }
    foreign = {name: value for name, value in os.environ.items() if not name.startswith("PLATFORMIO_")}
    return {**foreign, **QUIET, **own, **(extra or {})}


def run_pio(
    project: Path,
    environment: str,
    *,
    targets: Sequence[str] = (),
    compiler: str | None = None,
    jobs: int | None = None,
    verbose: bool = False,
    upload_port: str | None = None,
    upload_protocol: str | None = None,
    timeout_s: float = 600.0,
) -> ToolRun:
    """`pio run` for one environment of a project.

    `compiler` (zig or gcc) overrides that of platformio.ini. Raises ToolError with the compiler's or the
    upload tool's own first messages if anything fails.
    """
    command = [sys.executable, "-m", "platformio", "run", "-d", str(project), "-e", environment]
    for target in targets:
        command += ["-t", target]
    command += ["-j", str(jobs)] if jobs else []
    command += ["-v"] if verbose else []
    command += ["--upload-port", upload_port] if upload_port else []
    extra = {"EDGEGEN_COMPILER": compiler} if compiler else {}
    if upload_protocol:
        extra["EDGEGEN_UPLOAD_PROTOCOL"] = upload_protocol
    ran = run_tool(command, environment=tool_environment(extra), timeout_s=timeout_s)
    if ran.exit_code != 0:
        what = "upload" if "upload" in targets else "build"
        raise ToolError(f"{what} of {environment} in {project} failed:\n{first_errors(ran.text)}")
    return ran


def run_tool(
    command: Sequence[str],
    *,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
    timeout_s: float = 600.0,
) -> ToolRun:
    """Run a program to its end and keep what it says. ToolError if it is missing or does not end."""
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=None if environment is None else dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except OSError as problem:
        raise ToolError(f"{command[0]} cannot be run: {problem}") from problem
    except subprocess.TimeoutExpired as problem:
        raise ToolError(f"{command[0]} did not end within {timeout_s:g} seconds") from problem
    text = (done.stdout + done.stderr).decode("utf-8", "replace")
    return ToolRun(done.returncode, text.replace("\r\n", "\n"))


def first_errors(text: str) -> str:
    """The lines from the first that names an error, at most SHOWN_LINES; else the last lines."""
    summary = re.compile(r"^=+ |^\*\*\* \[")  # PlatformIO's and SCons' own words about a failed command
    lines = [line for line in text.splitlines() if line.strip()]
    ends = [index for index, line in enumerate(lines) if summary.match(line)]
    lines = lines[: ends[0]] if ends else lines
    for index, line in enumerate(lines):
        if re.search(r"\berror\b|undefined (reference|symbol)|overflowed|Error:", line, re.IGNORECASE):
            return "\n".join(lines[index : index + SHOWN_LINES])
    return "\n".join(lines[-SHOWN_LINES:])


def zig_cc(arguments: Sequence[str], *, cwd: Path | None = None) -> ToolRun:
    """`zig cc` with these arguments. ToolError with the compiler's messages if it fails."""
    ran = run_tool([str(zig_program()), "cc", *arguments], cwd=cwd, environment=tool_environment())
    if ran.exit_code != 0:
        raise ToolError(f"zig cc failed:\n{first_errors(ran.text)}")
    return ran


def shared_library_name(stem: str) -> str:
    """`stem` with this system's suffix of shared libraries."""
    return stem + {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")


def build_shared(
    sources: Sequence[Path],
    *,
    include_dirs: Sequence[Path] = (),
    flags: Sequence[str] = (),
    name: str = "library",
) -> Path:
    """Compile C files into a shared library for this machine, for cffi or ctypes.

    The result lies in the cache under the hash of everything that went into it: the sources, every header
    in `include_dirs` and beside the sources, the flags and the compiler. It is compiled only once.
    """
    position_independent = [] if sys.platform == "win32" else ["-fPIC"]
    options = [*NATIVE, *flags, *position_independent, "-shared"]
    return _built_once(sources, include_dirs, options, shared_library_name(name))


def build_program(
    sources: Sequence[Path],
    *,
    include_dirs: Sequence[Path] = (),
    flags: Sequence[str] = (),
    name: str = "program",
) -> Path:
    """Compile C files into a program for this machine; cached as the libraries of `build_shared` are."""
    suffix = ".exe" if sys.platform == "win32" else ""
    return _built_once(sources, include_dirs, [*NATIVE, *flags], f"{name}{suffix}")


def _built_once(
    sources: Sequence[Path], include_dirs: Sequence[Path], options: Sequence[str], name: str
) -> Path:
    """The file in the cache, compiled if it is not there."""
    built = cache_folder() / "native" / _content_key(sources, include_dirs, options) / name
    if built.is_file():
        return built
    built.parent.mkdir(parents=True, exist_ok=True)
    includes = [f"-I{folder}" for folder in include_dirs]
    with tempfile.TemporaryDirectory(dir=built.parent) as scratch:
        draft = Path(scratch) / name
        zig_cc([*options, *includes, *map(str, sources), "-o", str(draft)])
        _publish(draft, built)
    return built


def _publish(draft: Path, built: Path) -> None:
    """Move a finished file into place. Another process may have been faster, and may be using its copy."""
    try:
        draft.replace(built)
    except OSError:
        if not built.is_file():
            raise


def _content_key(sources: Sequence[Path], include_dirs: Sequence[Path], options: Sequence[str]) -> str:
    folders = {*include_dirs, *(source.parent for source in sources)}
    headers = sorted((file for folder in folders for file in folder.glob("*.h")), key=lambda file: file.name)
    digest = hashlib.sha256()
    parts = [*options, platform.machine(), sys.platform, str(zig_program().stat().st_size)]
    for part in parts:
        digest.update(part.encode() + b"\0")
    for file in (*sources, *headers):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:32]
