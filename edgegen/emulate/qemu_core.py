"""What the QEMU emulators share: the counting plugin, and running a program with a time limit."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edgegen.codegen.toolchain import build_shared
from edgegen.emulate.blocks import Block
from edgegen.emulate.image import ElfImage
from edgegen.emulate.run import RunRequest, faulted, timed_out
from edgegen.errors import ToolError

NAME = "qemu"
PLUGIN = Path(__file__).with_name("qemu_counter.c")
COUNTS = "counts.txt"
FAULT_EXIT = 112


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    exit_code: int
    output: bytes
    console: str


def find_program(name: str, install: str) -> str:
    """Full path of a program. ToolError if it is not on PATH."""
    found = shutil.which(name)
    if found is None:
        raise ToolError(f"{name} is not on PATH; install it ({install}) or choose another emulator")
    return found


def run_process(
    request: RunRequest, emulator: str, command: Sequence[str], *, folder: Path, stdin: bytes = b""
) -> Ended:
    """Run a command in a folder. MismatchError if it does not end in time, ToolError if it cannot start."""
    try:
        done = subprocess.run(
            command, cwd=folder, input=stdin, capture_output=True, timeout=request.timeout_s, check=False
        )
    except subprocess.TimeoutExpired as problem:
        raise timed_out(request, emulator) from problem
    except OSError as problem:
        raise ToolError(f"{command[0]} cannot be run: {problem}") from problem
    return Ended(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def plugin_arguments(image: ElfImage, *, wide: bool) -> list[str]:
    """QEMU's options to count between the harness marks. ToolError if the plugin does not compile."""
    library = str(build_shared([PLUGIN], flags=["-fvisibility=hidden"], name="qemu_counter"))
    begin, end = image.address_of("harness_mark_begin"), image.address_of("harness_mark_end")
    escaped = library.replace(",", ",,")
    return ["-plugin", f"{escaped},begin={begin:x},end={end:x},out={COUNTS},wide={int(wide)}"]


def read_counts(folder: Path) -> list[list[Block]]:
    """Blocks of every invocation. ToolError if the plugin wrote nothing."""
    file = folder / COUNTS
    if not file.is_file():
        raise ToolError("this QEMU did not load the counting plugin; use another emulator for counts")
    invocations: list[list[Block]] = [[]]
    for line in file.read_text(encoding="utf-8").splitlines():
        if line == "end":
            invocations.append([])
            continue
        address, *numbers = line.split()
        invocations[-1].append(Block(int(address, 16), *map(int, numbers)))
    return invocations[:-1]


def check_fault(request: RunRequest, image: ElfImage, ended: Ended) -> None:
    """MismatchError if the program was stopped by the processor or by QEMU, naming where if it is known."""
    said = ended.console.strip().splitlines()
    if ended.exit_code == FAULT_EXIT or ended.exit_code < 0 or ended.exit_code > 128:
        what = said[0] if said else f"ended by signal or exception {ended.exit_code}"
        place = re.search(r"pc=0x([0-9a-f]+)", what)
        where = f" at {image.describe(int(place[1], 16))}" if place else ""
        raise faulted(request, NAME, what.removeprefix("fault: ") + where)
