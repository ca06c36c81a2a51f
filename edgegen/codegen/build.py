"""The main job on one page: from a model's source to a firmware image that fits and is known to be right."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np

from edgegen import __version__
from edgegen.codegen.budget import SizeReport, check_image, check_plan
from edgegen.codegen.emit import Emission, ProjectInput, emit
from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.lower import LoweredGraph, lower
from edgegen.codegen.names import c_identifier
from edgegen.codegen.passes.constant_channels import RemoveConstantChannels
from edgegen.codegen.plan import MemoryPlan, plan_memory
from edgegen.codegen.project import (
    EXPECTED,
    LABELS,
    MANIFEST,
    MODEL_FILE,
    PROFILE,
    VECTORS,
    LayerRecord,
    Manifest,
    write_project,
)
from edgegen.codegen.reference import Reference
from edgegen.codegen.source import QuantizedSource
from edgegen.codegen.toolchain import run_pio
from edgegen.codegen.vectors import draw_vectors, pack_vectors
from edgegen.emulate import RunResult, run_image, sizes
from edgegen.errors import BudgetError, MismatchError, ToolError
from edgegen.frontend.importers.tflite import load_tflite
from edgegen.targets import Target

GOLDEN = 16
"""Vectors that a build itself proves; `verify` takes more."""
STORED = 1000
"""Evaluation samples that go into the project at most."""
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
    original = load_tflite(source.tflite, name=source.name)
    graph = optimize(original, options)
    progress("planning memory")
    lowered = lower(graph, target=target, mode=options.mode)
    plan = plan_memory(lowered, alignment=target.alignment)
    check_plan(lowered, plan, target)
    progress("emitting C")
    project = _project(source, original, lowered, plan, target, options)
    folder = output / project.emission.model / target.name
    write_project(folder, project.emission.files)
    progress("compiling")
    image = compile_project(folder, target, options)
    measured = check_image(lowered, plan, sizes(image, target), target)
    progress("emulating")
    proof = _prove(project, image, target) if options.verify else None
    return _report(folder, image, project, plan, measured, proof)


def optimize(graph: Graph, options: BuildOptions) -> Graph:
    """The passes over an integer graph; none of them changes an output bit."""
    chosen = [RemoveConstantChannels()] if options.remove_constant_channels else []
    for transformation in chosen:
        graph = transformation.apply(graph)
    return graph


def compile_project(folder: Path, target: Target, options: BuildOptions, *, trace: bool = False) -> Path:
    """The built image of a project. ToolError with the compiler's words, BudgetError if it is too large."""
    environment = f"{target.name}-trace" if trace else target.name
    try:
        run_pio(folder, environment, compiler=options.compiler, verbose=options.verbose)
    except ToolError as problem:
        overflow = re.search(r"(?:region '(\w+)'.*?)?overflowed by (\d+) bytes", str(problem))
        if overflow is None:
            raise
        raise BudgetError(
            f"{target.name}: the image exceeds its budget of {overflow[1] or 'memory'} by {overflow[2]} "
            "bytes; see --flash, --ram and --stack"
        ) from problem
    return folder / ".pio" / "build" / environment / target.image_name


@dataclass(frozen=True, eq=False)
class _Project:
    emission: Emission
    manifest: Manifest
    golden_inputs: list[Array]
    golden_outputs: tuple[Array, ...]
    original: Graph


def _project(
    source: QuantizedSource,
    original: Graph,
    lowered: LoweredGraph,
    plan: MemoryPlan,
    target: Target,
    options: BuildOptions,
) -> _Project:
    inputs, extra = _stored_vectors(source, original)
    outputs = Reference(original).run(inputs).outputs
    digest = hashlib.sha256(source.tflite).hexdigest()
    files: dict[PurePosixPath, bytes] = {
        PurePosixPath(MODEL_FILE): source.tflite,
        VECTORS: pack_vectors(original.input_tensors(), inputs),
        EXPECTED: pack_vectors(original.output_tensors(), outputs),
        **extra,
    }
    project = ProjectInput(lowered=lowered, plan=plan, target=target, model_hash=digest[:16], files=files)
    emission = emit(project)
    manifest = _manifest(source, lowered, plan, target, options, emission, digest)
    files = {**emission.files, PurePosixPath(MANIFEST): manifest.to_json()}
    emission = Emission(
        files=files,
        model=emission.model,
        input_bytes=emission.input_bytes,
        output_bytes=emission.output_bytes,
        constant_bytes=emission.constant_bytes,
    )
    return _Project(emission, manifest, inputs, outputs, original)


def _stored_vectors(source: QuantizedSource, graph: Graph) -> tuple[list[Array], dict[PurePosixPath, bytes]]:
    """The evaluation samples of the model, else drawn vectors; the labels as a file where there are any."""
    if source.inputs is None:
        return draw_vectors(graph, GOLDEN, seed=1), {}
    samples = source.inputs[:STORED].reshape(-1, *graph.input_tensors()[0].shape)
    if source.labels is None:
        return [samples], {}
    return [samples], {LABELS: source.labels[:STORED].astype("<i4").tobytes()}


def _manifest(
    source: QuantizedSource,
    lowered: LoweredGraph,
    plan: MemoryPlan,
    target: Target,
    options: BuildOptions,
    emission: Emission,
    digest: str,
) -> Manifest:
    return Manifest(
        model=emission.model,
        title=source.name,
        target=target.name,
        board=target.board.id,
        profile=PROFILE,
        mode=options.mode,
        constant_channels_removed=options.remove_constant_channels,
        edgegen=__version__,
        model_sha256=digest,
        source=source.described,
        input_bytes=emission.input_bytes,
        output_bytes=emission.output_bytes,
        arena_bytes=plan.arena_bytes,
        arena_bound_bytes=plan.bound_bytes,
        state_bytes=plan.state_bytes,
        constant_bytes=emission.constant_bytes,
        flash_budget=target.budget.flash_bytes,
        ram_budget=target.budget.ram_bytes,
        stack_budget=target.budget.stack_bytes,
        layers=tuple(layer_records(lowered, plan)),
    )


def layer_records(lowered: LoweredGraph, plan: MemoryPlan) -> list[LayerRecord]:
    """The layers of a schedule, numbered as a trace numbers them."""
    return [
        LayerRecord(
            index=index,
            name=step.node.name,
            op=step.node.op,
            kernel="" if index in plan.elided else step.call.kernel,
            output=step.node.outputs[0] if step.node.outputs else "",
            macs=step.macs,
            constant_bytes=step.constant_bytes,
        )
        for index, step in enumerate(lowered.steps)
    ]


def _prove(project: _Project, image: Path, target: Target) -> tuple[RunResult, int]:
    """Run the first golden vectors in the default emulator and compare every byte."""
    graph = project.original
    inputs = [array[:GOLDEN] for array in project.golden_inputs]
    expected = pack_vectors(graph.output_tensors(), [array[:GOLDEN] for array in project.golden_outputs])
    result = run_image(
        image,
        target,
        pack_vectors(graph.input_tensors(), inputs),
        output_size=project.emission.output_bytes,
        input_size=project.emission.input_bytes,
        count=True,
    )
    if result.results != expected:
        at = int(
            np.flatnonzero(np.frombuffer(result.results, np.uint8) != np.frombuffer(expected, np.uint8))[0]
        )
        vector = at // project.emission.output_bytes
        raise MismatchError(
            f"{target.name}: the emulated image differs from the reference in vector {vector}, byte "
            f"{at % project.emission.output_bytes}; `python -m edgegen verify` names the layer"
        )
    return result, len(expected)


def first_difference(got: bytes, expected: bytes) -> int:
    """The first byte that differs; both have the same length."""
    return int(np.flatnonzero(np.frombuffer(got, np.uint8) != np.frombuffer(expected, np.uint8))[0])


def _report(
    folder: Path,
    image: Path,
    project: _Project,
    plan: MemoryPlan,
    measured: SizeReport,
    proof: tuple[RunResult, int] | None,
) -> BuildReport:
    result = None if proof is None else proof[0]
    instructions = max(result.instructions) if result is not None and result.instructions else None
    cycles = max(result.cycles) if result is not None and result.cycles else None
    stack = result.invoke_stack_bytes if result is not None else None
    return BuildReport(
        folder=folder,
        image=image,
        manifest=project.manifest,
        sizes=measured.with_stack(stack),
        vectors=0 if proof is None else min(GOLDEN, len(project.golden_inputs[0])),
        bytes_compared=0 if proof is None else proof[1],
        instructions=instructions,
        cycles=cycles,
        memory=plan.describe(),
    )


def project_folder(output: Path, name: str, target: Target) -> Path:
    """Where a model's project for a target stands."""
    return output / c_identifier(name) / target.name
