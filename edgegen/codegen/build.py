"""The main job on one page: from a model's source to a firmware image that fits and is known to be right."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version
from pathlib import Path, PurePosixPath

import numpy as np

from edgegen import __version__
from edgegen.codegen import passes
from edgegen.codegen.budget import SizeReport, check_image, check_plan, largest_parts, overflow
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
    ImageRecord,
    LayerRecord,
    Manifest,
    digests,
    record_image,
    write_project,
)
from edgegen.codegen.reference import Reference
from edgegen.codegen.source import QuantizedSource, graph_of
from edgegen.codegen.toolchain import run_pio
from edgegen.codegen.vectors import draw_vectors, pack_vectors
from edgegen.emulate import RunResult, run_image, sizes
from edgegen.errors import BudgetError, MismatchError, ToolError
from edgegen.targets import Target

GOLDEN = 16
"""Vectors that a build itself proves, at most; `verify` takes more."""
GOLDEN_MACS = 40_000_000
"""Multiply-accumulates that a build emulates: fewer vectors for a large model."""
STORED = 1000
"""Evaluation samples that go into the project at most."""
TOOLS = ("platformio", "ziglang")
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
    plan = plan_memory(lowered, alignment=target.alignment)
    check_plan(lowered, plan, target)
    progress("emitting C")
    golden = _golden(source, original, lowered)
    emission = emit(_project_input(source, lowered, plan, target, golden))
    files = {**emission.files, **_further_files(source, original, golden)}
    manifest = _manifest(source, lowered, plan, target, options, emission, files, golden)
    folder = output / emission.model / target.name
    write_project(folder, {**files, MANIFEST: manifest.to_json()})
    progress("compiling")
    image = _compile_within_budget(folder, target, options, lowered, plan)
    measured = check_image(lowered, plan, sizes(image, target), target)
    progress("emulating")
    proof = _prove(golden, manifest, original, image, target) if options.verify else None
    measured = measured.with_stack(None if proof is None else proof.invoke_stack_bytes)
    manifest = record_image(folder, manifest, _image_record(measured, options))
    return BuildReport(
        folder=folder,
        image=image,
        manifest=manifest,
        sizes=measured,
        vectors=0 if proof is None else golden.count,
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


def _compile_within_budget(
    folder: Path, target: Target, options: BuildOptions, lowered: LoweredGraph, plan: MemoryPlan
) -> Path:
    """`compile_project`, whose BudgetError also says which layers and buffers take most."""
    try:
        return compile_project(folder, target, options)
    except BudgetError as problem:
        raise BudgetError(f"{problem}\n{largest_parts(lowered, plan)}") from problem


def layer_records(lowered: LoweredGraph, plan: MemoryPlan) -> tuple[LayerRecord, ...]:
    """The layers of a schedule, numbered as a trace numbers them."""
    return tuple(
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
    )


def first_difference(got: bytes, expected: bytes) -> int:
    """The first byte that differs; both have the same length."""
    return int(np.flatnonzero(np.frombuffer(got, np.uint8) != np.frombuffer(expected, np.uint8))[0])


def worst(counts: Sequence[int] | None) -> int | None:
    """The largest count, if there is any."""
    return max(counts) if counts else None


def project_folder(output: Path, name: str, target: Target) -> Path:
    """Where a model's project for a target stands."""
    return output / c_identifier(name) / target.name


@dataclass(frozen=True, eq=False)
class _Golden:
    """`stored` inputs of the project; the first `count` of them are the build's own proof.

    `check_outputs` is what the last of these gives from a fresh state: the self-test.
    """

    stored: list[Array]
    count: int
    inputs: list[Array]
    outputs: tuple[Array, ...]
    check_outputs: tuple[Array, ...]


def _golden(source: QuantizedSource, graph: Graph, lowered: LoweredGraph) -> _Golden:
    """The evaluation samples of the model, else drawn vectors."""
    if source.inputs is None:
        stored = draw_vectors(graph, GOLDEN, seed=1)
    else:
        stored = [source.inputs[:STORED].reshape(-1, *graph.input_tensors()[0].shape)]
    macs = max(1, sum(step.macs for step in lowered.steps))
    count = min(len(stored[0]), int(np.clip(GOLDEN_MACS // macs, 2, GOLDEN)))
    inputs = [array[:count] for array in stored]
    check = Reference(graph).run([array[-1:] for array in inputs])
    return _Golden(stored, count, inputs, Reference(graph).run(inputs).outputs, check.outputs)


def _project_input(
    source: QuantizedSource, lowered: LoweredGraph, plan: MemoryPlan, target: Target, golden: _Golden
) -> ProjectInput:
    return ProjectInput(
        lowered=lowered,
        plan=plan,
        target=target,
        model_hash=hashlib.sha256(source.tflite).hexdigest()[:16],
        check_inputs=tuple(array[-1] for array in golden.inputs),
        check_outputs=tuple(array[0] for array in golden.check_outputs),
    )


def _further_files(source: QuantizedSource, graph: Graph, golden: _Golden) -> dict[PurePosixPath, bytes]:
    """The model, its vectors, and the labels where there are any."""
    files = {
        MODEL_FILE: source.tflite,
        VECTORS: pack_vectors(graph.input_tensors(), golden.stored),
        EXPECTED: pack_vectors(graph.output_tensors(), golden.outputs),
    }
    if source.inputs is not None and source.labels is not None:
        files[LABELS] = source.labels[:STORED].astype("<i4").tobytes()
    return files


def _manifest(
    source: QuantizedSource,
    lowered: LoweredGraph,
    plan: MemoryPlan,
    target: Target,
    options: BuildOptions,
    emission: Emission,
    files: Mapping[PurePosixPath, bytes],
    golden: _Golden,
) -> Manifest:
    return Manifest(
        model=emission.model,
        title=source.name,
        target=target.name,
        board=target.board.id,
        profile=PROFILE,
        mode=options.mode,
        constant_channels_removed=options.remove_constant_channels,
        portable=emission.portable,
        tools=_tool_versions(),
        model_sha256=hashlib.sha256(source.tflite).hexdigest(),
        source=source.file_name,
        input_bytes=emission.input_bytes,
        output_bytes=emission.output_bytes,
        stored_vectors=len(golden.stored[0]),
        arena_bytes=plan.arena_bytes,
        arena_bound_bytes=plan.bound_bytes,
        state_bytes=plan.state_bytes,
        constant_bytes=emission.constant_bytes,
        flash_budget=target.budget.flash_bytes,
        ram_budget=target.budget.ram_bytes,
        stack_budget=target.budget.stack_bytes,
        image=None,
        layers=layer_records(lowered, plan),
        files=digests(files),
    )


def _tool_versions() -> dict[str, str]:
    found = {"edgegen": __version__}
    for tool in TOOLS:
        try:
            found[tool] = package_version(tool)
        except PackageNotFoundError:
            found[tool] = "unknown"
    return found


def _prove(golden: _Golden, manifest: Manifest, graph: Graph, image: Path, target: Target) -> RunResult:
    """Run the golden vectors in the default emulator and compare every byte."""
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
