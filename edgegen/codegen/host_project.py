"""A project's own C on the machine that edgegen runs on, in a process of its own."""

from __future__ import annotations

from pathlib import Path

from edgegen.codegen.toolchain import build_program, run_tool
from edgegen.emulate import run_image
from edgegen.targets import load_target
from edgegen.targets.files import FIRMWARE

HARNESS = FIRMWARE / "harness"


class HostProject:
    """lib/<model> of a project behind edgegen's harness, as a program for this machine.

    The vectors of one run are a sequence for a model with state, which begins with a fresh one.
    """

    def __init__(self, project: Path, model: str, *, trace: bool = False) -> None:
        """Compile it; `trace` makes the results trace records. ToolError if it does not compile."""
        self._target = load_target("host")
        source = project / "lib" / model / "src"
        support = self._target.folder / "support"
        self._program = build_program(
            [*sorted(source.glob("*.c")), support / "io.c", HARNESS / "main.c", HARNESS / "selftest.c"],
            include_dirs=[
                source,
                project / "lib" / model / "include",
                project / "src",
                FIRMWARE / "platform" / "support" / "include",
            ],
            flags=(
                "-ffp-contract=off",
                "-Dmain=harness_main",
                f"-DHARNESS_SELFTEST={model}_selftest",
                *([f"-D{model.upper()}_TRACE"] if trace else []),
            ),
            name=model,
        )

    def run(self, vectors: bytes, *, timeout_s: float) -> bytes:
        """What packed vectors give. MismatchError for a crash, a timeout or an error of the model."""
        return run_image(self._program, self._target, vectors, output_size=None, timeout_s=timeout_s).results

    def selftest(self, *, timeout_s: float) -> int:
        """What the built-in self-test returns: 0 if all is well. ToolError if it does not end."""
        return run_tool([str(self._program), "selftest"], timeout_s=timeout_s).exit_code
