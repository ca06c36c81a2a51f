"""Resource variables of a .tflite file: handles, values and how they start."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from edgegen.codegen.graph import Array, Tensor
from edgegen.errors import ModelError
from edgegen.frontend.importers.tflite.file import File, FileOperator, FileSubgraph, FileTensor
from edgegen.frontend.importers.tflite.reader import text
from edgegen.frontend.importers.tflite.tensors import at_rest, convert

HANDLE, READ, ASSIGN, ONCE = "VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE", "CALL_ONCE"
_HANDLES = frozenset({"RESOURCE", "INT32"})
Key = tuple[bytes, bytes]
"""Container and shared name: what makes two handles the same variable."""


@dataclass(frozen=True, eq=False)
class _Use:
    """An operator that reads or assigns a variable, and the tensor of its value."""

    operator: FileOperator
    value: FileTensor


def find_variables(file: File, names: Mapping[int, str]) -> Mapping[int, Tensor]:
    """The state tensor behind each handle of the main subgraph, by the handle's tensor index.

    `names` are those of the other tensors by index. Raises ModelError for uses that have no fixed meaning.
    """
    main = file.main
    handles = _handles(main)
    starts = _starts(file)
    keys = list(dict.fromkeys(handles.values()))
    unknown = [key for key in starts if key not in keys]
    if unknown:
        raise ModelError(f"variable '{text(unknown[0][1])}' is initialised and never used")
    taken = {name for index, name in names.items() if index not in handles}
    chosen: dict[Key, str] = {}
    for key in keys:
        chosen[key] = _name(key, taken)
        taken.add(chosen[key])
    uses = _uses(main, handles)
    made = {key: _variable(key, chosen[key], uses[key], starts.get(key)) for key in keys}
    return MappingProxyType({index: made[key] for index, key in handles.items()})


def _name(key: Key, taken: Collection[str]) -> str:
    name = text(key[1]) or "variable"
    while name in taken:
        name += "_state"
    return name


def _handles(subgraph: FileSubgraph) -> dict[int, Key]:
    """The variable behind each handle's tensor."""
    found: dict[int, Key] = {}
    for operator in subgraph.operators:
        if operator.code == HANDLE:
            if len(operator.outputs) != 1 or operator.options_table != "VarHandleOptions":
                raise ModelError(f"{operator.describe()} has no variable's name or not one output")
            handle = subgraph.tensors[operator.outputs[0]]
            if handle.kind not in _HANDLES:
                raise ModelError(f"{operator.describe()} writes {handle.describe()}, which is no resource")
            names = (operator.options.Container(), operator.options.SharedName())
            found[operator.outputs[0]] = (names[0] or b"", names[1] or b"")
    return found


def _uses(subgraph: FileSubgraph, handles: Mapping[int, Key]) -> Mapping[Key, list[_Use]]:
    """The operators that read or assign each variable, those that assign first."""
    found: dict[Key, list[_Use]] = {key: [] for key in handles.values()}
    for operator in sorted(subgraph.operators, key=lambda operator: operator.code != ASSIGN):
        handle = operator.inputs[0] if operator.code in (READ, ASSIGN) and operator.inputs else None
        if handle is not None and handle in handles:
            others = operator.outputs if operator.code == READ else operator.inputs[1:]
            if len(others) != 1 or others[0] is None:
                raise ModelError(f"{operator.describe()} takes one variable and one value")
            found[handles[handle]].append(_Use(operator, subgraph.tensors[others[0]]))
    return found


def _variable(key: Key, name: str, uses: Sequence[_Use], start: Array | None) -> Tensor:
    """The state tensor of one variable; its type is that of the first value assigned."""
    if not uses or uses[0].operator.code != ASSIGN:
        raise ModelError(f"variable '{text(key[1])}' is never assigned, so its shape and type are unknown")
    value = convert(uses[0].value, name=name)
    for use in uses:
        other = convert(use.value, name="value")
        if (other.shape, other.dtype) != (value.shape, value.dtype):
            raise ModelError(
                f"{use.operator.describe()} has {use.value.describe()}, the variable {value.describe()}"
            )
    data = at_rest(value) if start is None else start
    if data.shape != value.shape or data.dtype != value.dtype.numpy:
        raise ModelError(f"variable {value.describe()} is initialised with {data.dtype}{list(data.shape)}")
    agreed = all(use.value.quantization == uses[0].value.quantization for use in uses)
    # TFLM copies bytes, whatever scales the tensors claim
    quantization = value.quantization if agreed else None
    return value.replace(
        state=True, data=data, quantization=quantization, source=f"variable '{text(key[1])}'"
    )


def _starts(file: File) -> dict[Key, Array]:
    """Values that the subgraphs of CALL_ONCE assign."""
    found: dict[Key, Array] = {}
    for subgraph in _initial_subgraphs(file):
        handles = _handles(subgraph)
        for operator in subgraph.operators:
            if operator.code == ASSIGN:
                key, data = _start(subgraph, operator, handles)
                found[key] = data
            elif operator.code != HANDLE:
                raise ModelError(
                    f"{operator.describe()} in subgraph {subgraph.index}, which CALL_ONCE runs: "
                    "variables can be initialised with constants only"
                )
    return found


def _start(subgraph: FileSubgraph, operator: FileOperator, handles: Mapping[int, Key]) -> tuple[Key, Array]:
    handle, value = operator.inputs if len(operator.inputs) == 2 else (None, None)
    if handle is None or handle not in handles or value is None:
        raise ModelError(
            f"{operator.describe()} in subgraph {subgraph.index} takes one variable and one value"
        )
    tensor = convert(subgraph.tensors[value], name="start")
    if tensor.data is None or tensor.state:
        raise ModelError(f"{operator.describe()} in subgraph {subgraph.index} assigns a computed value")
    return handles[handle], tensor.data


def _initial_subgraphs(file: File) -> Sequence[FileSubgraph]:
    """The subgraphs of CALL_ONCE, which must come before anything reads a variable."""
    found: list[FileSubgraph] = []
    touched = False
    for operator in file.main.operators:
        touched = touched or operator.code in (READ, ASSIGN)
        if operator.code == ONCE:
            index = operator.options.InitSubgraphIndex() if operator.options_table == "CallOnceOptions" else 0
            if not 0 < index < len(file.subgraphs):
                raise ModelError(f"{operator.describe()} names subgraph {index} of {len(file.subgraphs)}")
            if touched:
                raise ModelError(f"{operator.describe()} comes after an operator that uses a variable")
            found.append(file.subgraphs[index])
    return found
