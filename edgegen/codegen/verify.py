"""The proof: reference, host C and emulated image return the same bytes, for the project as it stands."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import cffi
import numpy as np

from edgegen.codegen.build import BuildOptions, compile_project, first_difference, optimize
from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.hostlib import KERNELS
from edgegen.codegen.lower import lower
from edgegen.codegen.plan import plan_memory
from edgegen.codegen.project import MODEL_FILE, VECTORS, Manifest, read_manifest
from edgegen.codegen.reference import Reference
from edgegen.codegen.toolchain import build_shared
from edgegen.codegen.vectors import draw_vectors, pack_vectors, unpack_vectors
from edgegen.emulate import read_trace, run_image
from edgegen.errors import MismatchError, UsageError
from edgegen.frontend.importers.tflite import load_tflite
from edgegen.targets import Target, load_target

MACS_BUDGET = {"host": 20_000_000_000}
DEFAULT_MACS = 1_500_000_000
"""Multiply-accumulates that a verification emulates by default; it sets the number of vectors."""
FEWEST, MOST = 24, 1000


@dataclass(frozen=True)
class VerifyReport:
    """What was compared. `stack_bytes`, `instructions` and `cycles` are the worst of all vectors."""

    model: str
    target: str
    emulator: str
    vectors: int
    bytes_compared: int
    stack_bytes: int | None
    instructions: int | None
    cycles: int | None
    host_c: bool


@dataclass(frozen=True, eq=False)
class Project:
    """A project as it stands, with the graph that its model file holds."""

    folder: Path
    manifest: Manifest
    target: Target
    graph: Graph
    tflite: bytes


def open_project(folder: Path) -> Project:
    """Read a project. UsageError if there is none, MismatchError if its model file was changed."""
    manifest = read_manifest(folder)
    try:
        tflite = (folder / MODEL_FILE).read_bytes()
    except OSError as problem:
        raise UsageError(f"{folder / MODEL_FILE} cannot be read: {problem.strerror}") from problem
    if hashlib.sha256(tflite).hexdigest() != manifest.model_sha256:
        raise MismatchError(f"{folder / MODEL_FILE} is not the model that the project was built from")
    target = load_target(manifest.target, board=manifest.board).with_budget(
        flash=manifest.flash_budget, ram=manifest.ram_budget, stack=manifest.stack_budget
    )
    return Project(folder, manifest, target, load_tflite(tflite, name=manifest.title), tflite)


def verify(
    folder: Path,
    *,
    emulator: str | None = None,
    compiler: str = "zig",
    vectors: int | None = None,
    seed: int = 2,
    progress: Callable[[str], None] = lambda step: None,
) -> VerifyReport:
    """Prove the project in `folder`, unchanged. MismatchError names what differs, down to the layer."""
    project = open_project(folder)
    progress("integer reference")
    inputs = test_inputs(project, vectors, seed=seed)
    expected = pack_vectors(project.graph.output_tensors(), Reference(project.graph).run(inputs).outputs)
    packed = pack_vectors(project.graph.input_tensors(), inputs)
    options = BuildOptions(mode=project.manifest.mode, compiler=compiler)
    progress("host C")
    host = _prove_host(project, options, inputs, packed, expected)
    progress(f"compiling {project.target.name}")
    image = compile_project(folder, project.target, options)
    progress(f"emulating {project.target.name}")
    result = run_image(
        image,
        project.target,
        packed,
        output_size=project.manifest.output_bytes,
        input_size=project.manifest.input_bytes,
        emulator=emulator,
        timeout_s=900.0,
        count=True,
    )
    if result.results != expected:
        who = f"{project.target.name} in {result.emulator}"
        raise MismatchError(_explain(project, options, inputs, who, result.results, expected, emulator))
    return VerifyReport(
        model=project.manifest.model,
        target=project.target.name,
        emulator=result.emulator,
        vectors=len(inputs[0]),
        bytes_compared=len(expected),
        stack_bytes=result.invoke_stack_bytes,
        instructions=max(result.instructions) if result.instructions else None,
        cycles=max(result.cycles) if result.cycles else None,
        host_c=host,
    )


def test_inputs(project: Project, count: int | None, *, seed: int) -> list[Array]:
    """Extreme and drawn vectors, and the project's own stored ones, in turns of about a half each."""
    stored = unpack_vectors(project.graph.input_tensors(), _read(project.folder / VECTORS))
    if count is None:
        macs = max(1, sum(layer.macs for layer in project.manifest.layers))
        budget = MACS_BUDGET.get(project.target.name, DEFAULT_MACS)
        count = int(np.clip(budget // macs, FEWEST, MOST))
    kept = min(len(stored[0]), count // 2)
    drawn = draw_vectors(project.graph, count - kept, seed=seed)
    return [np.concatenate([a, b[:kept]]) for a, b in zip(drawn, stored, strict=True)]


def run_host(project: Project, packed: bytes) -> bytes:
    """Vectors through the project's own C, compiled for this machine."""
    manifest = project.manifest
    source = project.folder / "lib" / manifest.model / "src"
    library = build_shared(
        sorted(source.glob("*.c")),
        include_dirs=[source, source.parent / "include"],
        flags=("-ffp-contract=off",),
        name=manifest.model,
    )
    ffi = cffi.FFI()
    ports = (*project.graph.input_tensors(), *project.graph.output_tensors())
    ffi.cdef(f"int {manifest.model}_invoke({', '.join(['void *'] * len(ports))});")
    ffi.cdef(f"void {manifest.model}_reset_state(void);")
    opened = ffi.dlopen(str(library))
    return _invoke_all(project, ffi, opened, packed)


def _invoke_all(project: Project, ffi: cffi.FFI, library: object, packed: bytes) -> bytes:
    manifest, graph = project.manifest, project.graph
    inputs = unpack_vectors(graph.input_tensors(), packed)
    outputs = [np.zeros((len(inputs[0]), *t.shape), t.dtype.numpy) for t in graph.output_tensors()]
    invoke = getattr(library, f"{manifest.model}_invoke")
    reset = getattr(library, f"{manifest.model}_reset_state")
    for vector in range(len(inputs[0])):
        reset()
        rows = [np.ascontiguousarray(array[vector]) for array in inputs]
        made = [np.zeros(t.shape, t.dtype.numpy) for t in graph.output_tensors()]
        status = invoke(*(ffi.cast("void *", array.ctypes.data) for array in (*rows, *made)))
        if status != 0:
            raise MismatchError(f"host C: {manifest.model}_invoke returned {status}")
        for all_rows, row in zip(outputs, made, strict=True):
            all_rows[vector] = row
    return pack_vectors(graph.output_tensors(), outputs)


def _prove_host(
    project: Project, options: BuildOptions, inputs: Sequence[Array], packed: bytes, expected: bytes
) -> bool:
    """Compare the project's C on this machine; False where it has kernels that only its target can run."""
    if not portable(project):
        return False
    got = run_host(project, packed)
    if got != expected:
        raise MismatchError(_explain(project, options, inputs, "host C", got, expected, None))
    return True


def portable(project: Project) -> bool:
    """Whether every kernel of the project is one of the portable ones."""
    prefix = f"{project.manifest.model}_"
    source = project.folder / "lib" / project.manifest.model / "src"
    kernels = {layer.kernel for layer in project.manifest.layers if layer.kernel}
    own = {f"{prefix}{kernel}.S" for kernel in kernels} & {file.name for file in source.glob("*.S")}
    return not own and all((KERNELS / f"{kernel}.c").is_file() for kernel in kernels)


def _explain(
    project: Project,
    options: BuildOptions,
    inputs: Sequence[Array],
    who: str,
    got: bytes,
    expected: bytes,
    emulator: str | None,
) -> str:
    """The first vector that differs, and the first layer of it, found by a trace build."""
    size = project.manifest.output_bytes
    at = first_difference(got, expected)
    vector = at // size
    head = (
        f"{who} differs from the integer reference in vector {vector}, byte {at % size}: "
        f"expected {expected[at]}, got {got[at]}"
    )
    one = [array[vector : vector + 1] for array in inputs]
    return f"{head}\n{diverging_layer(project, options, one, emulator)}"


def diverging_layer(
    project: Project, options: BuildOptions, inputs: Sequence[Array], emulator: str | None
) -> str:
    """Name the first layer of a trace build whose output differs from the reference."""
    removed = project.manifest.constant_channels_removed
    graph = optimize(project.graph, BuildOptions(mode=options.mode, remove_constant_channels=removed))
    image = compile_project(project.folder, project.target, options, trace=True)
    packed = pack_vectors(graph.input_tensors(), inputs)
    result = run_image(image, project.target, packed, output_size=None, emulator=emulator, timeout_s=900.0)
    records = {record.layer: record.data for record in read_trace(result.results)[0]}
    expected = Reference(graph).run(inputs, keep=True).tensors
    plan = plan_memory(
        lower(graph, target=project.target, mode=options.mode), alignment=project.target.alignment
    )
    for layer in project.manifest.layers:
        if layer.index in plan.elided or layer.index not in records or layer.output not in expected:
            continue
        wanted = np.ascontiguousarray(expected[layer.output]).tobytes()
        got = records[layer.index]
        if got != wanted:
            return f"first diverging layer: {_numbers(layer.index, layer.op, layer.name, got, wanted)}"
    return "every layer agrees; the difference lies in how the output is returned"


def _numbers(index: int, op: str, name: str, got: bytes, wanted: bytes) -> str:
    if len(got) != len(wanted):
        return f"{index} {op} '{name}': {len(got)} bytes instead of {len(wanted)}"
    a, b = np.frombuffer(got, np.int8), np.frombuffer(wanted, np.int8)
    wrong = np.flatnonzero(a != b)
    at = int(wrong[0])
    return (
        f"{index} {op} '{name}': {len(wrong)} of {len(b)} bytes differ, "
        f"first at {at}: expected {b[at]}, got {a[at]}"
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror}; build the project again") from problem
