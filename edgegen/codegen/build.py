"""The main job on one page: from a model's source to a firmware image that fits and is known to be right."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edgegen.codegen import passes
from edgegen.codegen.assembly import Assembly
from edgegen.codegen.budget import SizeReport, check_image, check_plan, largest_parts, overflow
from edgegen.codegen.graph import Graph
from edgegen.codegen.lower import lower
from edgegen.codegen.passes.constant_channels import RemoveConstantChannels
from edgegen.codegen.plan import plan_memory
from edgegen.codegen.project import ImageRecord, Manifest, record_image
from edgegen.codegen.rowwise import run_by_rows
from edgegen.codegen.source import QuantizedSource, graph_of
from edgegen.codegen.toolchain import run_pio
from edgegen.codegen.vectors import pack_vectors
from edgegen.emulate import RunResult, run_image, sizes, stack_bound
from edgegen.errors import BudgetError, MismatchError, ToolError
from edgegen.targets import Target

Progress = Callable[[str], None]


@dataclass(frozen=True)
class BuildOptions:
    """`mode` is one of lower.MODES; `compiler` zig or gcc."""

    mode: str = "balanced"
    compiler: str = "zig"
    remove_constant_channels: bool = True
    verify: bool = True
    verbose: bool = False


@dataclass(frozen=True, eq=False)
class BuildReport:
    """What a build made: the project, the image, sizes, and how many bytes were proven equal."""

    folder: Path
    image: Path
    manifest: Manifest
    sizes: SizeReport
    vectors: int
    bytes_compared: int
    instructions: int | None
    cycles: int | None
    memory: str


def build(
    source: QuantizedSource,
    target: Target,
    output: Path,
    *,
    options: BuildOptions,
    progress: Progress = lambda step: None,
) -> BuildReport:
    """Build a model for a target into output/<model>/<target>.

    Raises ModelError for what the model cannot, BudgetError where it does not fit, ToolError if a tool fails
    and MismatchError if the emulated image does not return the reference's bytes.
    """
    progress("reading the model")
    original = graph_of(source)
    progress("planning memory")
    lowered = lower(optimize(original, options), target=target, mode=options.mode)
    lowered = run_by_rows(lowered, alignment=target.alignment, mode=options.mode)
    plan = plan_memory(lowered, alignment=target.alignment)
    check_plan(lowered, plan, target)
    progress("emitting C")
    removed = options.remove_constant_channels
    assembly = Assembly(source, original, lowered, plan, target, options.mode, removed)
    stack = assembly.stack_seen(output)
    manifest = assembly.write(output, stack_bytes=stack)
    progress("compiling")
    image = _compile_within_budget(assembly, output, options)
    bound = stack_bound(image, target, f"{manifest.model}_invoke")
    measured = check_image(lowered, plan, sizes(image, target), target, stack_bound=bound)
    progress("emulating")
    proof = _prove(assembly, manifest, image) if options.verify else None
    if proof is not None:
        measured = measured.with_stack(proof.invoke_stack_bytes)
    if measured.stack_bytes != stack:  # the header says it, no code depends on it
        manifest = assembly.write(output, stack_bytes=measured.stack_bytes)
    manifest = record_image(assembly.folder(output), manifest, _image_record(measured, options))
    return BuildReport(
        folder=assembly.folder(output),
        image=image,
        manifest=manifest,
        sizes=measured,
        vectors=0 if proof is None else assembly.golden.count,
        bytes_compared=0 if proof is None else len(proof.results),
        instructions=worst(None if proof is None else proof.instructions),
        cycles=worst(None if proof is None else proof.cycles),
        memory=plan.describe(),
    )


def optimize(graph: Graph, options: BuildOptions) -> Graph:
    """The passes over an integer graph; none of them changes an output bit."""
    return passes.run(graph, [RemoveConstantChannels()] if options.remove_constant_channels else [])


def compile_project(folder: Path, target: Target, options: BuildOptions, *, trace: bool = False) -> Path:
    """The built image of a project. ToolError with the compiler's words, BudgetError if it is too large."""
    environment = f"{target.name}-trace" if trace else target.name
    try:
        run_pio(folder, environment, compiler=options.compiler, verbose=options.verbose)
    except ToolError as problem:
        exceeded = overflow(str(problem))
        if exceeded is None:
            raise
        raise BudgetError(f"{target.name}: {exceeded}; see --flash, --ram and --stack") from problem
    return folder / ".pio" / "build" / environment / target.image_name


def first_difference(got: bytes, expected: bytes) -> int:
    """The first byte that differs; both have the same length."""
    return int(np.flatnonzero(np.frombuffer(got, np.uint8) != np.frombuffer(expected, np.uint8))[0])


def worst(counts: Sequence[int] | None) -> int | None:
    """The largest count, if there is any."""
    return max(counts) if counts else None


def _compile_within_budget(assembly: Assembly, output: Path, options: BuildOptions) -> Path:
    """`compile_project`, whose BudgetError also says which layers and buffers take most."""
    try:
        return compile_project(assembly.folder(output), assembly.target, options)
    except BudgetError as problem:
        raise BudgetError(f"{problem}\n{largest_parts(assembly.lowered, assembly.plan)}") from problem


def _prove(assembly: Assembly, manifest: Manifest, image: Path) -> RunResult:
    """Run the golden vectors in the default emulator and compare every byte."""
    graph, golden, target = assembly.original, assembly.golden, assembly.target
    expected = pack_vectors(graph.output_tensors(), golden.outputs)
    result = run_image(
        image,
        target,
        pack_vectors(graph.input_tensors(), golden.inputs),
        output_size=manifest.output_bytes,
        input_size=manifest.input_bytes,
        timeout_s=600.0,
        count=True,
    )
    if result.results != expected:
        vector, byte = divmod(first_difference(result.results, expected), manifest.output_bytes)
        raise MismatchError(
            f"{target.name}: the emulated image differs from the reference in vector {vector}, byte {byte}; "
            "`python -m edgegen verify` names the layer"
        )
    return result


def _image_record(measured: SizeReport, options: BuildOptions) -> ImageRecord:
    return ImageRecord(
        compiler=options.compiler,
        flash_bytes=measured.flash_bytes,
        code_bytes=measured.code_bytes,
        constant_bytes=measured.constant_bytes,
        ram_bytes=measured.ram_bytes,
        stack_bytes=measured.stack_bytes,
    )
