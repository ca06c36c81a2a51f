"""The proof: reference, host C and emulated image return the same bytes, for the project as it stands."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from edgegen.codegen.assembly import layer_records
from edgegen.codegen.build import (
    BuildOptions,
    compile_project,
    first_difference,
    optimize,
    worst,
)
from edgegen.codegen.emit import Emission, ProjectInput, emit
from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.host_project import HostProject
from edgegen.codegen.lower import LoweredGraph, lower
from edgegen.codegen.plan import MemoryPlan, plan_memory
from edgegen.codegen.project import MODEL_FILE, VECTORS, LayerRecord, Manifest, read_manifest
from edgegen.codegen.reference import Reference
from edgegen.codegen.rowwise import run_by_rows
from edgegen.codegen.tampering import changed_constants, edited, generated_sources
from edgegen.codegen.toolchain import cache_folder
from edgegen.codegen.tracing import TraceLayout
from edgegen.codegen.vectors import draw_vectors, pack_vectors, unpack_vectors
from edgegen.emulate import RunResult, run_image
from edgegen.errors import MismatchError, UsageError, problems
from edgegen.frontend.importers.tflite import load_tflite
from edgegen.targets import Target, load_target

DRAWN_MACS, STORED_MACS = 200_000_000, 600_000_000
"""Multiply-accumulates that a verification emulates by default; they set the numbers of vectors."""
NATIVE_FACTOR = 10
"""How much more of them is done where nothing is emulated."""
FEWEST, MOST_DRAWN = 12, 200
TRACED = 7
"""Vectors whose every layer the emulated image shows; the host C shows those of all vectors."""
TRACE_CHUNK_BYTES = 64 << 20
TIMEOUT_S = 900.0
Progress = Callable[[str], None]


@dataclass(frozen=True)
class VerifyReport:
    """What was compared: outputs of the emulated image, and outputs of every layer in traces.

    `host` says which C ran on this machine: the project's own, or the portable kernels where the project
    has some that only its target can run. `stack_bytes`, `instructions` and `cycles` are the worst seen.
    `edited` are files that are not as edgegen wrote them, judged by what they compute.
    """

    model: str
    target: str
    emulator: str
    host: str
    vectors: int
    bytes_compared: int
    layer_bytes_compared: int
    stack_bytes: int | None
    instructions: int | None
    cycles: int | None
    edited: tuple[str, ...]


@dataclass(frozen=True)
class VerifySettings:
    """`vectors` None lets the model's size decide; `emulator` None is the target's default."""

    emulator: str | None = None
    compiler: str = "zig"
    vectors: int | None = None
    seed: int = 2
    timeout_s: float = TIMEOUT_S


@dataclass(frozen=True, eq=False)
class Project:
    """A project as it stands, with the graph that its model file holds."""

    folder: Path
    manifest: Manifest
    target: Target
    graph: Graph
    tflite: bytes

    @property
    def lowered_graph(self) -> Graph:
        """The graph that was lowered: after the passes."""
        removed = self.manifest.constant_channels_removed
        return optimize(self.graph, BuildOptions(remove_constant_channels=removed))


def open_project(folder: Path) -> Project:
    """Read a project. UsageError if there is none, MismatchError if its model file was changed."""
    manifest = read_manifest(folder)
    tflite = _read(folder / MODEL_FILE)
    if hashlib.sha256(tflite).hexdigest() != manifest.model_sha256:
        raise MismatchError(f"{folder / MODEL_FILE} is not the model that the project was built from")
    target = load_target(manifest.target, board=manifest.board).with_budget(
        flash=manifest.flash_budget, ram=manifest.ram_budget, stack=manifest.stack_budget
    )
    return Project(folder, manifest, target, load_tflite(tflite, name=manifest.title), tflite)


def verify(folder: Path, settings: VerifySettings, *, progress: Progress = lambda step: None) -> VerifyReport:
    """Prove the project in `folder`, unchanged. MismatchError names what differs, down to the layer."""
    project = open_project(folder)
    edits = edited(folder, project.manifest)
    inputs = proof_inputs(project, settings.vectors, seed=settings.seed)
    proof = _Proof(project, settings, edits, progress)
    host, host_bytes = proof.host(inputs)
    image_bytes = proof.trace(inputs)
    result = proof.outputs(inputs)
    _refuse_changed_constants(project, edits)
    return VerifyReport(
        model=project.manifest.model,
        target=project.target.name,
        emulator=result.emulator,
        host=host,
        vectors=len(inputs[0]),
        bytes_compared=len(result.results),
        layer_bytes_compared=host_bytes + image_bytes,
        stack_bytes=result.invoke_stack_bytes,
        instructions=worst(result.instructions),
        cycles=worst(result.cycles),
        edited=edits,
    )


def proof_inputs(project: Project, count: int | None, *, seed: int) -> list[Array]:
    """Vectors (V, *shape): drawn ones, extremes first, then the project's stored ones."""
    try:
        stored = unpack_vectors(project.graph.input_tensors(), _read(project.folder / VECTORS))
    except ValueError as problem:
        raise UsageError(f"{project.folder / VECTORS}: {problem}; build the project again") from problem
    if count is None:
        macs = max(1, sum(layer.macs for layer in project.manifest.layers))
        macs = -(-macs // NATIVE_FACTOR) if project.target.is_host else macs
        kept = min(len(stored[0]), max(FEWEST, STORED_MACS // macs))
        fresh = int(np.clip(DRAWN_MACS // macs, FEWEST, MOST_DRAWN))
    else:
        kept = min(len(stored[0]), count // 2)
        fresh = count - kept
    drawn = draw_vectors(project.graph, fresh, seed=seed)
    return [np.concatenate([a, b[:kept]]) for a, b in zip(drawn, stored, strict=True)]


class _Proof:
    """The three comparisons of a project with the reference; each raises MismatchError."""

    def __init__(
        self, project: Project, settings: VerifySettings, edits: Sequence[str], progress: Progress
    ) -> None:
        self._project, self._settings, self._edits, self._progress = project, settings, edits, progress
        self._options = BuildOptions(mode=project.manifest.mode, compiler=settings.compiler)
        self._graph = project.lowered_graph

    def host(self, inputs: Sequence[Array]) -> tuple[str, int]:
        """Every layer of every vector on this machine. Says which C that was, and the bytes compared."""
        self._progress("host C")
        if self._project.manifest.portable:
            layers = self._project.manifest.layers
            return "the project's C", self._trace_host(self._project.folder, layers, inputs)
        with tempfile.TemporaryDirectory(prefix="portable-", dir=_made(cache_folder())) as scratch:
            layers = _emit_portable(self._project, self._graph, Path(scratch))
            return "portable C", self._trace_host(Path(scratch), layers, inputs)

    def trace(self, inputs: Sequence[Array]) -> int:
        """Every layer of some vectors in the emulated image; the bytes compared."""
        target = self._project.target.name
        self._progress(f"emulating {target} layer by layer")
        some = [np.concatenate([array[:TRACED], array[-1:]]) for array in inputs]
        difference, size = self._trace_image(some)
        if difference is not None:
            raise self._mismatch(f"{target} differs from the integer reference", difference)
        return size

    def outputs(self, inputs: Sequence[Array]) -> RunResult:
        """The outputs of every vector in the emulated image."""
        project = self._project
        expected = pack_vectors(project.graph.output_tensors(), Reference(project.graph).run(inputs).outputs)
        self._progress(f"compiling {project.target.name}")
        image = compile_project(project.folder, project.target, self._options)
        self._progress(f"emulating {project.target.name}: {len(inputs[0])} vectors")
        result = self._emulate(image, inputs, trace=False)
        if result.results != expected:
            raise self._output_mismatch(inputs, result, expected)
        return result

    def _trace_host(self, folder: Path, layers: Sequence[LayerRecord], inputs: Sequence[Array]) -> int:
        layout = TraceLayout(self._graph, layers)
        host = HostProject(folder, self._project.manifest.model, trace=True)
        size = max(1, TRACE_CHUNK_BYTES // max(1, layout.bytes))
        compared = 0
        for start in range(0, len(inputs[0]), size):
            part = [array[start : start + size] for array in inputs]
            compared += self._compare_host(host, layout, part)
        if host.selftest(timeout_s=self._settings.timeout_s) != 0:
            raise self._mismatch("host C", "every layer agrees, but the built-in self-test fails")
        return compared

    def _compare_host(self, host: HostProject, layout: TraceLayout, inputs: Sequence[Array]) -> int:
        results = Reference(self._graph).run(inputs, keep=True)
        expected = layout.expected(results.tensors)
        packed = pack_vectors(self._graph.input_tensors(), inputs)
        try:
            traces = host.run(packed, timeout_s=self._settings.timeout_s)
        except MismatchError as problem:
            raise self._mismatch("host C does not run to its end", str(problem)) from problem
        difference = layout.difference(traces, expected)
        if difference is not None:
            raise self._mismatch("host C differs from the integer reference", difference)
        return len(traces)

    def _trace_image(self, inputs: Sequence[Array]) -> tuple[str | None, int]:
        project = self._project
        layout = TraceLayout(self._graph, project.manifest.layers, project.manifest.regions)
        expected = layout.expected(Reference(self._graph).run(inputs, keep=True).tensors)
        image = compile_project(project.folder, project.target, self._options, trace=True)
        result = self._emulate(image, inputs, trace=True)
        return layout.difference(result.results, expected), expected.size

    def _emulate(self, image: Path, inputs: Sequence[Array], *, trace: bool) -> RunResult:
        """Run an image. MismatchError for a fault, a timeout or too few results names what was edited too."""
        manifest = self._project.manifest
        try:
            return run_image(
                image,
                self._project.target,
                pack_vectors(self._graph.input_tensors(), inputs),
                output_size=None if trace else manifest.output_bytes,
                input_size=manifest.input_bytes,
                emulator=self._settings.emulator,
                timeout_s=self._settings.timeout_s,
                count=not trace,
            )
        except MismatchError as problem:
            raise self._mismatch("the emulated image does not run to its end", str(problem)) from problem

    def _output_mismatch(self, inputs: Sequence[Array], result: RunResult, expected: bytes) -> MismatchError:
        """Found after all layers of other vectors agreed: traces the vector that differs."""
        at = first_difference(result.results, expected)
        vector, byte = divmod(at, self._project.manifest.output_bytes)
        head = (
            f"{self._project.target.name} in {result.emulator} differs from the integer reference in vector "
            f"{vector}, byte {byte}: expected {expected[at]}, got {result.results[at]}"
        )
        first = 0 if self._graph.states() else vector
        difference, _ = self._trace_image([array[first : vector + 1] for array in inputs])
        return self._mismatch(head, difference or "its trace agrees: the image depends on what ran before")

    def _mismatch(self, head: str, difference: str) -> MismatchError:
        lines = [f"{self._project.manifest.model}: {head}", difference]
        lines += [f"changed since edgegen wrote it: {place}" for place in self._edits]
        lines += constant_changes(self._project, self._edits)
        return MismatchError("\n".join(lines))


def constant_changes(project: Project, edits: Sequence[str]) -> list[str]:
    """Numbers of the model that were changed by hand; empty if the project is of another edgegen version."""
    sources = [place for place in generated_sources(project.manifest) if place in edits]
    if not sources:
        return []
    fresh = {str(place): content for place, content in _emit_again(project).files.items()}
    texts = {
        place: fresh[place].decode()
        for place in sources
        if hashlib.sha256(fresh[place]).hexdigest() == project.manifest.files[place]
    }
    return changed_constants(project.folder, texts)


def _refuse_changed_constants(project: Project, edits: Sequence[str]) -> None:
    """No vector may show it, yet a firmware with other numbers is not this model's."""
    found = constant_changes(project, edits)
    if found:
        title = f"{project.manifest.model}: no vector shows it, but numbers of the model were changed:"
        raise MismatchError(problems(title, found))


def _emit_again(project: Project) -> Emission:
    mode = project.manifest.mode
    lowered = lower(project.lowered_graph, target=project.target, mode=mode)
    lowered = run_by_rows(lowered, alignment=project.target.alignment, mode=mode)
    return emit(_project_input(project, lowered, plan_memory(lowered, alignment=project.target.alignment)))


def _emit_portable(project: Project, graph: Graph, folder: Path) -> tuple[LayerRecord, ...]:
    """The model with portable kernels only, as files; the layers of that schedule."""
    lowered = lower(graph)
    plan = plan_memory(lowered, alignment=project.target.alignment)
    for place, content in emit(_project_input(project, lowered, plan)).files.items():
        if place.parts[0] in ("lib", "src"):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_bytes(content)
    return layer_records(lowered, plan)


def _project_input(project: Project, lowered: LoweredGraph, plan: MemoryPlan) -> ProjectInput:
    """For C that is compared or called here; its self-test has a vector of its own."""
    inputs = draw_vectors(project.graph, 1, seed=0)
    outputs = Reference(project.graph).run(inputs).outputs
    return ProjectInput(
        lowered=lowered,
        plan=plan,
        target=project.target,
        model_hash=project.manifest.model_sha256[:16],
        stack_bytes=None,
        check_inputs=tuple(array[0] for array in inputs),
        check_outputs=tuple(array[0] for array in outputs),
    )


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror}; build the project again") from problem
