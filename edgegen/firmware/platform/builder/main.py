"""SCons build script of the edgegen platform: compiler, flags, link script, size check and upload.

Options of platformio.ini beyond PlatformIO's own:
  board_build.compiler            zig (default) or gcc; the environment variable EDGEGEN_COMPILER overrides it
  upload_protocol                 pyocd, openocd or gdb; EDGEGEN_UPLOAD_PROTOCOL overrides it
  board_build.stack_bytes         size of the stack
  board_upload.maximum_size       flash that may be used
  board_upload.maximum_ram_size   RAM (on wasm: linear memory) that may be used
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any, NoReturn

from SCons.Script import COMMAND_LINE_TARGETS, AlwaysBuild, Default, DefaultEnvironment

env = DefaultEnvironment()
board = env.BoardConfig()
SUPPORT = Path(env.PioPlatform().get_dir()) / "support"
TARGET = board.get("build.edgegen_target")
TOOLCHAIN = json.loads((SUPPORT / TARGET / "toolchain.json").read_text(encoding="utf-8"))
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic"]


def fail(message: str) -> NoReturn:
    sys.stderr.write(f"Error: {message}\n")
    env.Exit(1)
    raise SystemExit(1)


def quoted(path: str) -> str:
    return f'"{path}"'


def zig() -> str:
    """The compiler of pip's ziglang package, called directly, else a zig on PATH."""
    found = importlib.util.find_spec("ziglang")
    if found is not None and found.origin is not None:
        return str(Path(found.origin).parent / ("zig.exe" if os.name == "nt" else "zig"))
    on_path = shutil.which("zig", path=env["ENV"]["PATH"])
    if on_path is None:
        fail(f"no zig compiler; try: {sys.executable} -m pip install ziglang")
    return on_path


def use_zig() -> None:
    program = quoted(zig())
    env.Replace(CC=program + " cc", CXX=program + " c++", AR=program + " ar", RANLIB=program + " ranlib")


def use_gcc(settings: dict[str, Any]) -> None:
    prefix = settings["prefix"]
    if shutil.which(prefix + "gcc", path=env["ENV"]["PATH"]) is None:
        fail(
            "{}gcc is not on PATH; install it ({}) or set board_build.compiler = zig".format(
                prefix, settings["install"]
            )
        )
    env.Replace(CC=prefix + "gcc", CXX=prefix + "g++", AR=prefix + "ar", RANLIB=prefix + "ranlib")


def chosen_compiler() -> str:
    name = os.environ.get("EDGEGEN_COMPILER") or board.get("build.compiler", "zig")
    if name not in ("zig", "gcc") or name not in TOOLCHAIN:
        usable = ", ".join(choice for choice in ("zig", "gcc") if choice in TOOLCHAIN)
        fail(f"compiler `{name}` does not build {TARGET}; usable: {usable}")
    return name


def number(option: str) -> int:
    """A size from the board or platformio.ini, in bytes."""
    try:
        return int(str(board.get(option)), 0)
    except ValueError:
        fail(f"board_{option} must be a number of bytes, got `{board.get(option)}`")


def placeholders() -> dict[str, int]:
    values = {
        "STACK_BYTES": number("build.stack_bytes"),
        "FLASH_BYTES": number("upload.maximum_size"),
        "RAM_BYTES": number("upload.maximum_ram_size"),
    }
    if "link_script" in TOOLCHAIN:
        values["FLASH_ORIGIN"] = number("build.flash_origin")
        values["RAM_ORIGIN"] = number("build.ram_origin")
    return values


def filled(text: str) -> str:
    for name, value in placeholders().items():
        text = text.replace(f"@{name}@", str(value))
    return text


def write_if_changed(path: Path, text: str) -> None:
    """Keeps the time stamp, and with it the build, when nothing changed."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def configure() -> None:
    compiler = chosen_compiler()
    settings = TOOLCHAIN[compiler]
    if compiler == "zig":
        use_zig()
    else:
        use_gcc(settings)
    suffix = TOOLCHAIN.get("windows_suffix", TOOLCHAIN["suffix"]) if os.name == "nt" else TOOLCHAIN["suffix"]
    link_flags = TOOLCHAIN["link_flags"] + settings.get("link_flags", [])
    env.Replace(LINK="$CC", AS="$CC", ARFLAGS=["rcs"], PROGNAME="firmware", PROGSUFFIX=suffix)
    env.Append(
        ASFLAGS=settings["flags"],
        CFLAGS=["-std=c99"],
        CCFLAGS=settings["flags"] + TOOLCHAIN["flags"] + WARNINGS,
        LINKFLAGS=settings["flags"] + [filled(flag) for flag in link_flags],
        LIBS=settings.get("libs", []),
        CPPPATH=[str(SUPPORT / "include")],
    )
    if TOOLCHAIN["freestanding"]:
        env.Append(CPPPATH=[str(SUPPORT / "freestanding")])
        env.BuildSources("$BUILD_DIR/freestanding", str(SUPPORT / "freestanding"))
    env.BuildSources("$BUILD_DIR/support", str(SUPPORT / TARGET))


def use_link_script() -> str:
    """SCons sees neither what -T reads nor that the numbers changed: hence the explicit dependency."""
    script = Path(env.subst("$BUILD_DIR")) / "link.ld"
    template = SUPPORT / TARGET / TOOLCHAIN["link_script"]
    write_if_changed(script, filled(template.read_text(encoding="utf-8")))
    env.Append(LINKFLAGS=["-T", str(script)])
    return str(script)


def use_size_check() -> None:
    env.Replace(
        SIZETOOL="edgegen",
        SIZECHECKCMD=["$PYTHONEXE", str(SUPPORT / "image_size.py"), "$SOURCES"],
        SIZEPROGREGEXP=r"^flash (\d+)$",
        SIZEDATAREGEXP=r"^ram (\d+)$",
    )


def pyocd_upload() -> str:
    if importlib.util.find_spec("pyocd") is None:
        fail(f"pyOCD is missing; try: {sys.executable} -m pip install pyocd")
    port = env.subst("$UPLOAD_PORT")
    probe = f' --uid "{port}"' if port else ""
    return '"$PYTHONEXE" -m pyocd load --no-wait --target {}{} "$SOURCE"'.format(
        board.get("upload.pyocd_target"), probe
    )


def openocd_upload() -> str:
    if "openocd_target" not in board.get("upload", {}):
        fail(f"board `{board.id}` names no openocd_target; choose another upload_protocol")
    if shutil.which("openocd", path=env["ENV"]["PATH"]) is None:
        fail("openocd is not on PATH; install it or choose another upload_protocol")
    return 'openocd -f interface/{}.cfg -f target/{}.cfg -c "program {{$SOURCE}} verify reset exit"'.format(
        board.get("upload.openocd_interface", "cmsis-dap"),
        board.get("upload.openocd_target"),
    )


def gdb_upload() -> str:
    port = env.subst("$UPLOAD_PORT") or "localhost:3333"
    return '"$PYTHONEXE" "{}" "{}" "$SOURCE"'.format(SUPPORT / "gdb_load.py", port)


UPLOADS = {"pyocd": pyocd_upload, "openocd": openocd_upload, "gdb": gdb_upload}


def upload_action() -> Any:
    protocol = os.environ.get("EDGEGEN_UPLOAD_PROTOCOL") or env.subst("$UPLOAD_PROTOCOL")
    if not board.get("upload", {}).get("protocols"):
        fail(
            "`{}` is nothing to upload to; run the image where it is: {}".format(
                board.id, env.subst("$PROGPATH")
            )
        )
    if protocol not in UPLOADS:
        fail("upload_protocol `{}` is unknown; usable: {}".format(protocol, ", ".join(sorted(UPLOADS))))
    return env.VerboseAction(UPLOADS[protocol](), "Uploading $SOURCE")


configure()
link_script = use_link_script() if "link_script" in TOOLCHAIN else None
program = env.BuildProgram()
if link_script:
    env.Depends(program, link_script)
if TARGET != "host":
    use_size_check()
AlwaysBuild(env.Alias("nobuild", program))
if "upload" in COMMAND_LINE_TARGETS:
    env.AddPlatformTarget("upload", program, upload_action(), "Upload", "Write the program to a device")
Default(program)
