"""Emission: a planned model becomes a complete PlatformIO project, the same bytes for the same input."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import jinja2

from edgegen import __version__
from edgegen.codegen.calls import call_sequence, comment_text
from edgegen.codegen.constants import ConstantPool, array_rows
from edgegen.codegen.graph import Array, DType
from edgegen.codegen.kernel_files import kernel_files
from edgegen.codegen.lower import LoweredGraph, Step
from edgegen.codegen.names import c_identifier
from edgegen.codegen.plan import MemoryPlan
from edgegen.codegen.ports import Port, ports, vector_bytes
from edgegen.targets import Target, project_files

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"


@dataclass(frozen=True, eq=False)
class ProjectInput:
    """Everything a project is made of.

    `stack_bytes` is the deepest stack seen in emulation, None where it was not measured. `check_inputs` and
    `check_outputs` are the vector of the built-in self-test, each of its tensor's shape.
    """

    lowered: LoweredGraph
    plan: MemoryPlan
    target: Target
    model_hash: str
    stack_bytes: int | None
    check_inputs: tuple[Array, ...]
    check_outputs: tuple[Array, ...]


@dataclass(frozen=True, eq=False)
class Emission:
    """A project by path, and what others want to know of it.

    `portable` says that the model's library runs on any machine, having no kernels of the target's own.
    """

    files: Mapping[PurePosixPath, bytes]
    model: str
    input_bytes: int
    output_bytes: int
    constant_bytes: int
    portable: bool


@dataclass(frozen=True)
class CheckArray:
    """An input or expected output of the self-test."""

    name: str
    c_type: str
    count: int
    bytes: int
    rows: tuple[str, ...]


def emit(source: ProjectInput) -> Emission:
    """The files of the project, without vectors and manifest."""
    graph = source.lowered.graph
    model = c_identifier(graph.name)
    pool = ConstantPool(model)
    context = _context(source, model, pool)
    library = PurePosixPath("lib", model)
    kernels = kernel_files(
        used_kernels(source.lowered, source.plan),
        model,
        own=source.lowered.kernels,
        features=_features(source.lowered, source.plan),
    )
    files = {
        PurePosixPath("platformio.ini"): _render("platformio.ini.j2", context),
        PurePosixPath("README.md"): _render("project_readme.md.j2", context),
        PurePosixPath("src/harness_config.h"): _render("harness_config.h.j2", context),
        library / "library.json": _library_json(model, source.target),
        library / "include" / f"{model}.h": _render("model.h.j2", context),
        library / "src" / f"{model}.c": _render("model.c.j2", context),
        library / "src" / f"{model}_selftest.c": _render("selftest.c.j2", context),
        library / "src" / f"{model}_weights.h": _render("weights.h.j2", context),
        library / "src" / f"{model}_weights.c": _render("weights.c.j2", context),
    }
    files |= {library / "src" / name: text.encode() for name, text in kernels.texts.items()}
    files |= {place: path.read_bytes() for place, path in project_files(source.target).items()}
    return Emission(
        files=dict(sorted(files.items())),
        model=model,
        input_bytes=vector_bytes(graph.input_tensors()),
        output_bytes=vector_bytes(graph.output_tensors()),
        constant_bytes=sum(array.bytes for array in pool.arrays),
        portable=kernels.portable,
    )


def used_kernels(lowered: LoweredGraph, plan: MemoryPlan) -> list[str]:
    """Kernels that are still called after the plan, sorted."""
    found = {step.kernel_of(by_rows) for step, by_rows in _called(lowered, plan)}
    return sorted(found | ({"row_buffer"} if lowered.regions else set()))


def _called(lowered: LoweredGraph, plan: MemoryPlan) -> list[tuple[Step, bool]]:
    """Steps that are called after the plan, and whether they run by rows."""
    inside = {index for region in lowered.regions for index in region.steps}
    return [(s, index in inside) for index, s in enumerate(lowered.steps) if index not in plan.elided]


def _features(lowered: LoweredGraph, plan: MemoryPlan) -> set[str]:
    found: set[str] = set()
    for step, by_rows in _called(lowered, plan):
        found |= set(step.call.rows.features if by_rows and step.call.rows else step.call.features)
    return found


def _context(source: ProjectInput, model: str, pool: ConstantPool) -> dict[str, object]:
    graph, plan = source.lowered.graph, source.plan
    inputs = ports(graph.input_tensors(), "input", model)
    outputs = ports(graph.output_tensors(), "output", model)
    sequence = call_sequence(source.lowered, plan, pool, inputs=inputs, outputs=outputs)
    return {
        "version": __version__,
        "model": model,
        "MODEL": model.upper(),
        "title": graph.name,
        "model_hash": source.model_hash,
        "target": source.target,
        "trace_define": f"{model.upper()}_TRACE",
        "inputs": inputs,
        "outputs": outputs,
        "parameters": ", ".join(
            [f"const {port.c_type} *{port.argument}" for port in inputs]
            + [f"{port.c_type} *{port.argument}" for port in outputs]
        ),
        "arguments": ", ".join(port.argument for port in (*inputs, *outputs)),
        "sequence": sequence,
        "kernels": used_kernels(source.lowered, plan),
        "plan": plan,
        "stack_bytes": source.stack_bytes,
        "has_floats": any(tensor.dtype is DType.FLOAT32 for tensor in graph.tensors.values()),
        "macs": sum(step.macs for step in source.lowered.steps),
        "arrays": pool.arrays,
        "constant_bytes": sum(array.bytes for array in pool.arrays),
        "constant_alignment": max(4, plan.alignment),
        "input_bytes": vector_bytes(graph.input_tensors()),
        "output_bytes": vector_bytes(graph.output_tensors()),
        "check_inputs": _check_arrays(inputs, source.check_inputs),
        "check_outputs": _check_arrays(outputs, source.check_outputs),
    }


def _check_arrays(places: Iterable[Port], arrays: Iterable[Array]) -> tuple[CheckArray, ...]:
    return tuple(
        CheckArray(port.argument, port.c_type, port.count, port.bytes, array_rows(array.reshape(-1)))
        for port, array in zip(places, arrays, strict=True)
    )


def _library_json(model: str, target: Target) -> bytes:
    content = {
        "name": model,
        "version": "1.0.0",
        "description": f"int8 neural network {model}, generated by edgegen",
        "keywords": ["edgegen", "int8", "neural network"],
        "frameworks": "*",
        "platforms": "*",
        "headers": f"{model}.h",
        "build": {
            "includeDir": "include",
            "srcDir": "src",
            "flags": [target.optimization, "-ffp-contract=off"],
            "libLDFMode": "off",
        },
    }
    return (json.dumps(content, indent=2) + "\n").encode()


def _render(template: str, context: Mapping[str, object]) -> bytes:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    environment.filters["comment"] = comment_text
    return environment.get_template(template).render(context).encode()
