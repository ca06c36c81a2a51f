"""From what a user typed to models, targets and project folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from edgegen.cli.console import Output
from edgegen.codegen.names import c_identifier
from edgegen.codegen.source import ModelSource, find_source
from edgegen.errors import EdgegenError, UsageError
from edgegen.targets import Target, list_targets, load_target, parse_size

Budgets = tuple[str | None, str | None, str | None]
COMPILERS = ("zig", "gcc")


def choose_source(model: str | None, show: Output, calibration: Path | None = None) -> ModelSource:
    """The model, named to the user where it was not the user who named it."""
    source = find_source(model, calibration)
    if model is None:
        show.note(f"model: {source.described}")
    return source


def choose_targets(name: str) -> list[str]:
    """One target, or all of them."""
    if name == "all":
        return [target.name for target in list_targets()]
    return [load_target(name).name]


def load_with_budgets(name: str, *, board: str | None, budgets: Budgets) -> Target:
    """A target with the budgets of --flash, --ram and --stack."""
    flash, ram, stack = (
        None if text is None else parse_size(text, option=option)
        for text, option in zip(budgets, ("--flash", "--ram", "--stack"), strict=True)
    )
    return load_target(name, board=board).with_budget(flash=flash, ram=ram, stack=stack)


def model_name(source: ModelSource) -> str:
    """The name under which a model's projects stand, without loading the model."""
    if source.kind == "tflite":
        return c_identifier(source.path.stem)
    from edgegen.codegen.python_model import read_python_model

    return c_identifier(read_python_model(source).name)


def built_project(source: ModelSource, target: str, output: Path) -> Path:
    """The folder of a project that must stand already."""
    folder = output / model_name(source) / target
    if not folder.is_dir():
        raise UsageError(
            f"there is no project {folder}; run `python -m edgegen build --target {target}` first"
        )
    return folder


def check_compiler(compiler: str) -> None:
    """UsageError unless there is such a compiler."""
    if compiler not in COMPILERS:
        raise UsageError(f"unknown compiler {compiler!r}; one of: {', '.join(COMPILERS)}")


def compiler_for(target: Target, compiler: str) -> str:
    """A target that the chosen compiler cannot build keeps zig, which builds them all."""
    return compiler if compiler in target.compile_flags else "zig"


def emulator_for(target: Target, emulator: str | None) -> str | None:
    """The chosen emulator, or the default where only other targets have one of that name."""
    known = {choice.name for other in list_targets() for choice in other.emulators}
    if emulator is None or emulator in {choice.name for choice in target.emulators}:
        return emulator
    return None if emulator in known else target.emulator(emulator).name


def collect_failures(names: Sequence[str], work: Callable[[str], None]) -> None:
    """Do the work for every name, then raise what failed: all of it in one error of the first one's class."""
    failures: list[EdgegenError] = []
    for name in names:
        try:
            work(name)
        except UsageError:
            raise
        except EdgegenError as problem:
            failures.append(problem)
    if failures:
        raise type(failures[0])("\n".join(str(failure) for failure in failures)) from failures[0]
