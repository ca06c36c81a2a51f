"""Emission: a planned model becomes a complete PlatformIO project, the same bytes for the same input."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import jinja2

from edgegen import __version__
from edgegen.codegen.constants import ConstantArray, ConstantPool, float_literal
from edgegen.codegen.graph import DType, Graph, Tensor
from edgegen.codegen.hostlib import KERNELS
from edgegen.codegen.lower import LoweredGraph, Step
from edgegen.codegen.names import c_identifier, unique_identifiers
from edgegen.codegen.plan import Location, MemoryPlan
from edgegen.targets import Target, project_files

TEMPLATES = Path(__file__).resolve().parent.parent / "templates"
VECTOR_ALIGNMENT = 16
"""In a file of vectors every tensor starts at a multiple of this, where there are several."""


@dataclass(frozen=True)
class Port:
    """An input or output as the header shows it. `macro` is the stem of its macros."""

    name: str
    argument: str
    macro: str
    c_type: str
    count: int
    bytes: int
    offset: int
    shape: str
    scale: str | None
    zero_point: int
    minimum: int
    maximum: int
    quantized: bool


@dataclass(frozen=True)
class LayerCall:
    """One line of the call sequence, with its parameters."""

    index: int
    label: str
    comment: str
    kernel: str
    members: tuple[str, ...]
    arguments: tuple[str, ...]
    output: str
    output_bytes: int


@dataclass(frozen=True)
class StateBlock:
    """A state tensor: where it lies and the constant that a reset copies there."""

    offset: int
    bytes: int
    initial: str


@dataclass(frozen=True, eq=False)
class Emission:
    """A project as text and bytes by path, and what of it others want to know."""

    files: Mapping[PurePosixPath, bytes]
    model: str
    input_bytes: int
    output_bytes: int
    constant_bytes: int


@dataclass(frozen=True, eq=False)
class ProjectInput:
    """Everything a project is made of. `files` are further ones, golden vectors among them."""

    lowered: LoweredGraph
    plan: MemoryPlan
    target: Target
    model_hash: str
    files: Mapping[PurePosixPath, bytes]


def emit(source: ProjectInput) -> Emission:
    """The files of the project."""
    graph = source.lowered.graph
    model = c_identifier(graph.name)
    pool = ConstantPool(model)
    context = _context(source, model, pool)
    library = PurePosixPath("lib", model)
    files: dict[PurePosixPath, bytes] = {
        PurePosixPath("platformio.ini"): _render("platformio.ini.j2", context),
        PurePosixPath("README.md"): _render("project_readme.md.j2", context),
        PurePosixPath("src/harness_config.h"): _render("harness_config.h.j2", context),
        library / "library.json": _library_json(model),
        library / "include" / f"{model}.h": _render("model.h.j2", context),
        library / "src" / f"{model}.c": _render("model.c.j2", context),
        library / "src" / f"{model}_weights.h": _render("weights.h.j2", context),
        library / "src" / f"{model}_weights.c": _render("weights.c.j2", context),
    }
    for file, text in kernel_sources(source.lowered, model).items():
        files[library / "src" / file] = text.encode()
    for place, path in project_files(source.target).items():
        files[place] = path.read_bytes()
    files |= source.files
    return Emission(
        files=dict(sorted(files.items())),
        model=model,
        input_bytes=vector_bytes(graph.input_tensors()),
        output_bytes=vector_bytes(graph.output_tensors()),
        constant_bytes=sum(array.bytes for array in pool.arrays),
    )


def kernel_sources(lowered: LoweredGraph, model: str) -> dict[str, str]:
    """The kernels in use and what they include, renamed for the model. A target's own file goes first."""
    folders = [KERNELS] if lowered.kernels is None else [lowered.kernels, KERNELS]
    wanted = [f"{step.call.kernel}.h" for step in lowered.steps]
    found: dict[str, str] = {}
    while wanted:
        name = wanted.pop()
        if name in found:
            continue
        path = _kernel_file(folders, name)
        if path is None:
            raise FileNotFoundError(f"no kernel file {name} in {', '.join(map(str, folders))}")
        found[name] = path.read_text(encoding="utf-8")
        wanted += re.findall(r'#include "([^"]+)"', found[name])
        code = (_kernel_file(folders, f"{path.stem}{suffix}") for suffix in (".c", ".S"))
        wanted += [file.name for file in code if path.suffix == ".h" and file is not None]
    renamed = {name: _renamed(text, model, found) for name, text in found.items()}
    return {f"{model}_{name}": text for name, text in sorted(renamed.items())}


def _kernel_file(folders: Sequence[Path], name: str) -> Path | None:
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def _renamed(text: str, model: str, files: Mapping[str, str]) -> str:
    """Every symbol and macro with the model's prefix, so that two models link into one image."""
    text = re.sub(r"\bedgegen_", f"{model}_", text)
    text = re.sub(r"\bEDGEGEN_", f"{model.upper()}_", text)
    return re.sub(
        r'#include "([^"]+)"', lambda m: f'#include "{model}_{m[1]}"' if m[1] in files else m[0], text
    )


def vector_bytes(tensors: Sequence[Tensor]) -> int:
    """Bytes of one vector in a file: plain for one tensor, each aligned where there are several."""
    offsets = vector_offsets(tensors)
    if not tensors:
        return 0
    end = offsets[-1] + tensors[-1].bytes
    return end if len(tensors) == 1 else -(-end // VECTOR_ALIGNMENT) * VECTOR_ALIGNMENT


def vector_offsets(tensors: Sequence[Tensor]) -> list[int]:
    """Where each tensor starts in a vector."""
    offsets, at = [], 0
    for tensor in tensors:
        offsets.append(at)
        at = -(-(at + tensor.bytes) // VECTOR_ALIGNMENT) * VECTOR_ALIGNMENT
    return offsets


def _context(source: ProjectInput, model: str, pool: ConstantPool) -> dict[str, object]:
    graph, plan = source.lowered.graph, source.plan
    inputs = _ports(graph.input_tensors(), "input", model)
    outputs = _ports(graph.output_tensors(), "output", model)
    addresses = _Addresses(graph, plan, pool, inputs, outputs)
    calls = _calls(source.lowered, plan, pool, addresses)
    copies = _output_copies(graph, plan, addresses, outputs)
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
        "calls": calls,
        "copies": copies,
        "kernels": sorted({call.kernel for call in calls}),
        "states": _states(graph, plan, pool),
        "arena_bytes": plan.arena_bytes,
        "state_bytes": plan.state_bytes,
        "alignment": plan.alignment,
        "memory": plan.describe(),
        "macs": sum(step.macs for step in source.lowered.steps),
        "arrays": pool.arrays,
        "constant_bytes": sum(array.bytes for array in pool.arrays),
        "input_bytes": vector_bytes(graph.input_tensors()),
        "output_bytes": vector_bytes(graph.output_tensors()),
    }


def _ports(tensors: Sequence[Tensor], kind: str, model: str) -> tuple[Port, ...]:
    """Ports in order. A single one is called `input`; several carry their tensors' names."""
    single = len(tensors) == 1
    names = (
        [kind]
        if single
        else [f"{kind}_{n}" for n in unique_identifiers((t.name for t in tensors), fallback="x")]
    )
    return tuple(
        _port(tensor, name, model, offset)
        for tensor, name, offset in zip(tensors, names, vector_offsets(tensors), strict=True)
    )


def _port(tensor: Tensor, name: str, model: str, offset: int) -> Port:
    q = tensor.quantization
    quantized = q is not None and tensor.dtype in (DType.INT8, DType.UINT8, DType.INT16)
    low, high = {DType.UINT8: (0, 255), DType.INT16: (-32768, 32767)}.get(tensor.dtype, (-128, 127))
    return Port(
        name=tensor.name,
        argument=name,
        macro=f"{model}_{name}".upper(),
        c_type=tensor.dtype.c_name,
        count=tensor.size,
        bytes=tensor.bytes,
        offset=offset,
        shape=" x ".join(map(str, tensor.shape)) or "1",
        scale=float_literal(q.scale) if q is not None and quantized else None,
        zero_point=q.zero_point if q is not None and quantized else 0,
        minimum=low,
        maximum=high,
        quantized=quantized,
    )


class _Addresses:
    """C expressions for tensors."""

    def __init__(
        self,
        graph: Graph,
        plan: MemoryPlan,
        pool: ConstantPool,
        inputs: Sequence[Port],
        outputs: Sequence[Port],
    ) -> None:
        self._graph, self._plan, self._pool = graph, plan, pool
        self._arguments = {"input": inputs, "output": outputs}

    def of(self, name: str) -> str:
        place = self._plan.locations[name]
        if place.kind in self._arguments:
            return self._arguments[place.kind][place.position].argument
        if place.kind == "constant":
            return self._constant(name)
        return _cell(place)

    def _constant(self, name: str) -> str:
        """A constant tensor; an alias of one has no data of its own but shares the buffer."""
        tensor = self._graph.tensors[name]
        while tensor.data is None:
            producer = self._graph.producer(tensor.name)
            assert producer is not None and producer.inputs[0] is not None
            tensor = self._graph.tensors[producer.inputs[0]]
        return self._pool.add(c_identifier(f"const_{tensor.name}"), tensor.data, f"tensor {tensor.name}")


def _cell(place: Location) -> str:
    return f"{place.kind} + {place.position}"


def _calls(
    lowered: LoweredGraph, plan: MemoryPlan, pool: ConstantPool, addresses: _Addresses
) -> tuple[LayerCall, ...]:
    calls = []
    for index, step in enumerate(lowered.steps):
        if index in plan.elided:
            continue
        calls.append(_call(index, step, plan, pool, addresses))
    return tuple(calls)


def _call(index: int, step: Step, plan: MemoryPlan, pool: ConstantPool, addresses: _Addresses) -> LayerCall:
    label = f"l{index}"
    arguments = [f"(const void *)({addresses.of(step.view.input(p).name)})" for p in step.call.inputs]
    for position, name in enumerate(step.node.inputs):
        if position in step.call.inputs and name is not None and plan.locations[name].kind == "state":
            arguments[step.call.inputs.index(position)] = f"(void *)({addresses.of(name)})"
    arguments += [f"(void *)({addresses.of(tensor.name)})" for tensor in step.view.outputs]
    if step.call.scratch_bytes:
        arguments.append(f"(void *)(arena + {plan.scratch[index]})")
    comment = _comment(f"{step.node.op} {step.node.name}")
    output = step.view.outputs[0] if step.view.outputs else None
    return LayerCall(
        index=index,
        label=label,
        comment=comment,
        kernel=step.call.kernel,
        members=tuple(pool.initialiser(label, step.call.params, comment)),
        arguments=tuple(arguments),
        output="0" if output is None else addresses.of(output.name),
        output_bytes=0 if output is None else output.bytes,
    )


def _comment(text: str) -> str:
    """Text that cannot end a comment or leave ASCII."""
    plain = text.encode("ascii", "replace").decode()
    return (
        re.sub(r"[^ -~]", "?", plain)
        .replace("*/", "* /")
        .replace("/*", "/ *")
        .replace("\\", "/")
        .replace("??", "?")
    )


def _output_copies(
    graph: Graph, plan: MemoryPlan, addresses: _Addresses, outputs: Sequence[Port]
) -> tuple[tuple[str, str, int], ...]:
    """Outputs that are no kernel's result in place: an input, a constant, a state, or one tensor twice."""
    copies = []
    for position, (name, port) in enumerate(zip(graph.outputs, outputs, strict=True)):
        if plan.locations[name] != Location("output", position):
            copies.append((port.argument, addresses.of(name), port.bytes))
    return tuple(copies)


def _states(graph: Graph, plan: MemoryPlan, pool: ConstantPool) -> tuple[StateBlock, ...]:
    blocks = []
    for tensor in graph.states():
        assert tensor.data is not None
        label = c_identifier(f"state_{tensor.name}")
        initial = pool.add(label, tensor.data, f"state {tensor.name} after a reset")
        blocks.append(StateBlock(plan.locations[tensor.name].position, tensor.bytes, initial))
    return tuple(blocks)


def _library_json(model: str) -> bytes:
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
            "flags": ["-O2", "-ffp-contract=off"],
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
    environment.filters["comment"] = _comment
    return environment.get_template(template).render(context).encode()


__all__ = [
    "ConstantArray",
    "Emission",
    "ProjectInput",
    "emit",
    "kernel_sources",
    "vector_bytes",
    "vector_offsets",
]
