"""Assembling a project: the emitted C, the model, its vectors, and the manifest that lists them all."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as package_version
from pathlib import Path, PurePosixPath

import numpy as np

from edgegen import __version__
from edgegen.codegen.emit import ProjectInput, emit
from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.lower import LoweredGraph
from edgegen.codegen.names import c_identifier
from edgegen.codegen.plan import MemoryPlan
from edgegen.codegen.project import (
    EXPECTED,
    LABELS,
    MANIFEST,
    MODEL_FILE,
    PROFILE,
    VECTORS,
    LayerRecord,
    Manifest,
    RegionRecord,
    digests,
    read_manifest,
    write_project,
)
from edgegen.codegen.reference import Reference
from edgegen.codegen.source import QuantizedSource
from edgegen.codegen.vectors import draw_vectors, pack_vectors
from edgegen.errors import UsageError
from edgegen.targets import Target

GOLDEN = 16
"""Vectors that a build itself proves, at most; `verify` takes more."""
GOLDEN_MACS = 40_000_000
"""Multiply-accumulates that a build emulates: fewer vectors for a large model."""
STORED = 1000
"""Evaluation samples that go into the project at most."""
TOOLS = ("platformio", "ziglang")


@dataclass(frozen=True, eq=False)
class Golden:
    """`stored` inputs of the project; the first `count` of them are the build's own proof.

    `check_outputs` is what the last of these gives from a fresh state: the self-test.
    """

    stored: list[Array]
    count: int
    inputs: list[Array]
    outputs: tuple[Array, ...]
    check_outputs: tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Assembly:
    """Everything that a project is made of. `original` is the model's graph before any pass."""

    source: QuantizedSource
    original: Graph
    lowered: LoweredGraph
    plan: MemoryPlan
    target: Target
    mode: str
    constant_channels_removed: bool

    @cached_property
    def model_sha256(self) -> str:
        return hashlib.sha256(self.source.tflite).hexdigest()

    @cached_property
    def golden(self) -> Golden:
        """The evaluation samples of the model, else drawn vectors."""
        graph, samples = self.original, self.source.inputs
        if samples is None:
            stored = draw_vectors(graph, GOLDEN, seed=1)
        else:
            stored = [samples[:STORED].reshape(-1, *graph.input_tensors()[0].shape)]
        macs = max(1, sum(step.macs for step in self.lowered.steps))
        count = min(len(stored[0]), int(np.clip(GOLDEN_MACS // macs, 2, GOLDEN)))
        inputs = [array[:count] for array in stored]
        check = Reference(graph).run([array[-1:] for array in inputs])
        return Golden(stored, count, inputs, Reference(graph).run(inputs).outputs, check.outputs)

    def folder(self, output: Path) -> Path:
        """Where the project stands."""
        return output / c_identifier(self.original.name) / self.target.name

    def stack_seen(self, output: Path) -> int | None:
        """The stack that an earlier build of the same model measured."""
        try:
            manifest = read_manifest(self.folder(output))
        except UsageError:
            return None
        same = manifest.model_sha256 == self.model_sha256 and manifest.image is not None
        return manifest.image.stack_bytes if same and manifest.image is not None else None

    def write(self, output: Path, *, stack_bytes: int | None) -> Manifest:
        """Write the project. UsageError if that cannot be done."""
        emission = emit(
            ProjectInput(
                lowered=self.lowered,
                plan=self.plan,
                target=self.target,
                model_hash=self.model_sha256[:16],
                stack_bytes=stack_bytes,
                check_inputs=tuple(array[-1] for array in self.golden.inputs),
                check_outputs=tuple(array[0] for array in self.golden.check_outputs),
            )
        )
        files = {**emission.files, **self._further_files()}
        manifest = Manifest(
            model=emission.model,
            title=self.source.name,
            target=self.target.name,
            board=self.target.board.id,
            profile=PROFILE,
            mode=self.mode,
            constant_channels_removed=self.constant_channels_removed,
            portable=emission.portable,
            tools=_tool_versions(),
            model_sha256=self.model_sha256,
            source=self.source.file_name,
            input_bytes=emission.input_bytes,
            output_bytes=emission.output_bytes,
            stored_vectors=len(self.golden.stored[0]),
            arena_bytes=self.plan.arena_bytes,
            arena_bound_bytes=self.plan.bound_bytes,
            state_bytes=self.plan.state_bytes,
            constant_bytes=emission.constant_bytes,
            flash_budget=self.target.budget.flash_bytes,
            ram_budget=self.target.budget.ram_bytes,
            stack_budget=self.target.budget.stack_bytes,
            image=None,
            layers=layer_records(self.lowered, self.plan),
            regions=region_records(self.lowered),
            files=digests(files),
        )
        write_project(self.folder(output), {**files, MANIFEST: manifest.to_json()})
        return manifest

    def _further_files(self) -> dict[PurePosixPath, bytes]:
        """The model, its vectors, and the labels where there are any."""
        source, graph = self.source, self.original
        files = {
            MODEL_FILE: source.tflite,
            VECTORS: pack_vectors(graph.input_tensors(), self.golden.stored),
            EXPECTED: pack_vectors(graph.output_tensors(), self.golden.outputs),
        }
        if source.inputs is not None and source.labels is not None:
            files[LABELS] = source.labels[:STORED].astype("<i4").tobytes()
        return files


def region_records(lowered: LoweredGraph) -> tuple[RegionRecord, ...]:
    """The regions of a schedule; copies into rings leave no trace."""
    return tuple(
        RegionRecord(
            region.first,
            region.last,
            tuple(
                step for number in region.order for step in [region.stages[number].step] if step is not None
            ),
        )
        for region in lowered.regions
    )


def layer_records(lowered: LoweredGraph, plan: MemoryPlan) -> tuple[LayerRecord, ...]:
    """The layers of a schedule, numbered as a trace numbers them."""
    by_rows = {index for region in lowered.regions for index in region.steps}
    return tuple(
        LayerRecord(
            index=index,
            name=step.node.name,
            op=step.node.op,
            kernel="" if index in plan.elided else step.kernel_of(index in by_rows),
            output=step.node.outputs[0] if step.node.outputs else "",
            macs=step.macs,
            constant_bytes=step.constant_bytes,
        )
        for index, step in enumerate(lowered.steps)
    )


def _tool_versions() -> dict[str, str]:
    found = {"edgegen": __version__}
    for tool in TOOLS:
        try:
            found[tool] = package_version(tool)
        except PackageNotFoundError:
            found[tool] = "unknown"
    return found
