"""`edgegen run`: any vectors through the reference, the host C or an emulated image."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from edgegen.cli.console import Output
from edgegen.cli.selecting import built_project, check_compiler, choose_source
from edgegen.codegen.build import BuildOptions, compile_project
from edgegen.codegen.graph import Array, Graph, Tensor
from edgegen.codegen.host_project import HostProject
from edgegen.codegen.reference import Reference
from edgegen.codegen.source import graph_of, load_source
from edgegen.codegen.vectors import pack_vectors, unpack_vectors
from edgegen.codegen.verify import open_project
from edgegen.emulate import run_image
from edgegen.errors import UsageError

TIMEOUT_S = 3600.0


def run_vectors(
    model: str | None,
    target: str,
    input_file: Path,
    output_file: Path,
    *,
    build_folder: Path,
    emulator: str | None,
    compiler: str,
    show: Output,
) -> None:
    """Read vectors, run them, write what comes back."""
    check_compiler(compiler)
    source = choose_source(model, show)
    if target == "reference":
        graph = graph_of(load_source(source))
        outputs = list(Reference(graph).run(read_vectors(input_file, graph)).outputs)
    else:
        name = "host" if target == "host-c" else target
        project = open_project(built_project(source, name, build_folder))
        graph = project.graph
        packed = pack_vectors(graph.input_tensors(), read_vectors(input_file, graph))
        if target == "host-c":
            raw = HostProject(project.folder, project.manifest.model).run(packed, timeout_s=TIMEOUT_S)
        else:
            with show.steps() as step:
                step("compiling")
                image = compile_project(project.folder, project.target, BuildOptions(compiler=compiler))
                step("emulating")
                raw = run_image(
                    image,
                    project.target,
                    packed,
                    output_size=project.manifest.output_bytes,
                    input_size=project.manifest.input_bytes,
                    emulator=emulator,
                    timeout_s=TIMEOUT_S,
                ).results
        outputs = unpack_vectors(graph.output_tensors(), raw)
    write_vectors(output_file, graph, outputs)
    show.say(f"{len(outputs[0])} vectors: {output_file}")


def read_vectors(path: Path, graph: Graph) -> list[Array]:
    """Arrays (V, *shape), one an input, from .npy, .npz or raw bytes. UsageError for what does not fit."""
    try:
        if path.suffix == ".npy":
            arrays = [np.load(path, allow_pickle=False)]
        elif path.suffix == ".npz":
            arrays = _from_npz(path, graph)
        else:
            return unpack_vectors(graph.input_tensors(), path.read_bytes())
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {problem.strerror or problem}") from problem
    except (ValueError, EOFError) as problem:
        raise UsageError(f"{path} cannot be used: {problem}") from problem
    if len(arrays) != len(graph.inputs):
        raise UsageError(
            f"{path}: the model takes {len(graph.inputs)} inputs; give them by name in an .npz file"
        )
    return [_fitted(path, t, a) for t, a in zip(graph.input_tensors(), arrays, strict=True)]


def _from_npz(path: Path, graph: Graph) -> list[Array]:
    with np.load(path, allow_pickle=False) as content:
        if len(graph.inputs) == 1 and len(content.files) == 1:
            return [content[content.files[0]]]
        missing = [name for name in graph.inputs if name not in content.files]
        if missing:
            raise UsageError(
                f"{path}: no array for input {', '.join(missing)}; it has: {', '.join(content.files)}"
            )
        return [content[name] for name in graph.inputs]


def _fitted(path: Path, tensor: Tensor, array: Array) -> Array:
    """One vector or several, of the tensor's exact type."""
    if array.dtype != tensor.dtype.numpy:
        raise UsageError(f"{path}: input {tensor.describe()} takes {tensor.dtype.value}, got {array.dtype}")
    if (
        array.size == 0
        or array.size % tensor.size
        or array.shape[array.ndim - len(tensor.shape) :] != tensor.shape
    ):
        squeezed = tensor.shape[1:] if tensor.shape[:1] == (1,) else tensor.shape
        if array.size == 0 or array.shape[array.ndim - len(squeezed) :] != squeezed:
            raise UsageError(
                f"{path}: input {tensor.describe()} takes vectors of that shape, got {list(array.shape)}"
            )
    return array.reshape(-1, *tensor.shape)


def write_vectors(path: Path, graph: Graph, outputs: list[Array]) -> None:
    """Outputs (V, *shape) as .npy (one output), .npz (by output name) or raw bytes."""
    if path.suffix == ".npy" and len(outputs) > 1:
        raise UsageError(f"{path}: the model has {len(outputs)} outputs; write an .npz file")
    try:
        with path.open("wb") as file:
            if path.suffix == ".npy":
                np.save(file, outputs[0], allow_pickle=False)
            elif path.suffix == ".npz":
                np.savez(file, allow_pickle=False, **dict(zip(graph.outputs, outputs, strict=True)))
            else:
                file.write(pack_vectors(graph.output_tensors(), outputs))
    except OSError as problem:
        raise UsageError(f"{path} cannot be written: {problem.strerror}") from problem
