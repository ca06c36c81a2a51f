"""`File` -> `Graph`: the parts put together, and all problems listed at once."""

from __future__ import annotations

from collections.abc import Mapping

from edgegen.codegen.check import check_graph
from edgegen.codegen.graph import Graph, Node, Tensor
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.reshape import ReshapeAttributes
from edgegen.errors import ModelError, problems
from edgegen.frontend.importers.tflite.file import File, FileSignature, FileSubgraph
from edgegen.frontend.importers.tflite.nodes import (
    WITHOUT_NODE,
    integer_problems,
    is_integer,
    make_node,
    order_problems,
    unsupported,
)
from edgegen.frontend.importers.tflite.tensors import convert, unique_names, unsupported_types
from edgegen.frontend.importers.tflite.variables import find_variables

MAX_LISTED = 100
"""Problems in one message; a model of a thousand layers can have one in each."""
MAX_OPERATORS = 4096
MAX_SHARING = 16
"""How often, on average, the bytes of a file may be used by its operators: no converter comes near."""
SMALL = 1 << 20
"""Below this, bytes may be used any number of times."""


def to_graph(file: File, *, name: str) -> Graph:
    """The graph of the main subgraph. Raises one ModelError with everything that is in the way."""
    graph, found = attempt(file, name=name)
    if graph is None:
        more = [f"and {len(found) - MAX_LISTED} more"] if len(found) > MAX_LISTED else []
        raise ModelError(problems(f"model '{name}' cannot be used:", [*found[:MAX_LISTED], *more]))
    return graph


def attempt(file: File, *, name: str) -> tuple[Graph | None, list[str]]:
    """The graph, or None and everything that is in the way of it."""
    found = _excessive(file)
    if found:
        return None, found
    found = [*_other_models(file), *unsupported(file)]
    tensors = used_tensors(file, found)
    found += _interface(file.main)
    if found:
        return None, found
    nodes = _nodes(file.main, tensors, found)
    if found:
        return None, found
    graph = _graph(file, name, tensors, nodes)
    try:
        check_graph(graph, after="the import")
    except ModelError as error:
        return None, [str(error)]
    if is_integer(graph.tensors.values()):
        views = [NodeView.of(graph, node) for node in graph.nodes]
        found = [text for text in map(integer_problems, views) if text is not None]
    return (None if found else graph), found


def _excessive(file: File) -> list[str]:
    """What would take far more time or memory than the file's size suggests."""
    main = file.main
    if len(main.operators) > MAX_OPERATORS:
        return [f"{len(main.operators)} operators are too many; at most {MAX_OPERATORS}"]
    uses = [main.tensors[index].data for op in main.operators for index in op.inputs if index is not None]
    total = sum(len(data) for data in uses if data is not None)
    if total > SMALL + MAX_SHARING * file.size:
        return [f"operators read {total} bytes of constants from a file of {file.size}"]
    return []


def _other_models(file: File) -> list[str]:
    """Signatures of further subgraphs: a choice that nobody made."""
    return [
        f"signature '{signature.key}' is subgraph {signature.subgraph}, and only subgraph 0 is the model: "
        "export one signature a file"
        for signature in file.signatures
        if signature.subgraph != 0
    ]


def _signature(file: File) -> FileSignature | None:
    return next((signature for signature in file.signatures if signature.subgraph == 0), None)


def used_tensors(file: File, found: list[str]) -> dict[int, Tensor]:
    """Every used tensor by index; what cannot be is added to `found`."""
    main = file.main
    names = unique_names(main, _signature(file))
    made: dict[int, Tensor] = {}
    try:
        made.update(find_variables(file, names))
    except ModelError as error:
        found.append(str(error))
    rest = main.used() - set(made)
    impossible = unsupported_types(main.tensors[index] for index in sorted(rest))
    found += impossible
    for index in sorted(rest - {index for indices in impossible.values() for index in indices}):
        try:
            made[index] = convert(main.tensors[index], names[index])
        except ModelError as error:
            found.append(str(error))
    return made


def _interface(main: FileSubgraph) -> list[str]:
    valued = {tensor.index for tensor in main.tensors if tensor.data is not None or tensor.variable}
    found = []
    for index in main.inputs:
        if index in valued:
            found.append(f"input {main.tensors[index].describe()} already has a value")
    for index in main.outputs:
        if main.tensors[index].kind == "RESOURCE":
            found.append(f"output {main.tensors[index].describe()} is a variable itself; read it instead")
    if len(set(main.inputs)) != len(main.inputs):
        found.append("a tensor is an input twice")
    if not main.outputs:
        found.append("the model has no outputs")
    return [*found, *order_problems(main, {*main.inputs, *valued})]


def _nodes(main: FileSubgraph, tensors: Mapping[int, Tensor], found: list[str]) -> list[Node]:
    """The nodes in order; what is wrong with them is added to `found`."""
    nodes: list[Node] = []
    for operator in main.operators:
        if operator.code not in WITHOUT_NODE:
            try:
                nodes.append(make_node(operator, tensors))
            except ModelError as error:
                found.append(str(error))
    return nodes


def _graph(file: File, name: str, tensors: Mapping[int, Tensor], nodes: list[Node]) -> Graph:
    copies, outputs = _outputs(file.main, tensors)
    return Graph.build(
        name=name,
        tensors=[*tensors.values(), *(made for _, made in copies)],
        nodes=[*nodes, *(_copy(tensors[index], made) for index, made in copies)],
        inputs=[tensors[index].name for index in file.main.inputs],
        outputs=outputs,
    )


def _outputs(main: FileSubgraph, tensors: Mapping[int, Tensor]) -> tuple[list[tuple[int, Tensor]], list[str]]:
    """Names of the outputs; one that is an input, a constant, state or an output already gets a copy."""
    copies: list[tuple[int, Tensor]] = []
    outputs: list[str] = []
    for position, index in enumerate(main.outputs):
        tensor = tensors[index]
        if index in main.inputs or tensor.data is not None or tensor.name in outputs:
            tensor = tensor.replace(name=f"{tensor.name}/output_{position}", data=None, state=False)
            copies.append((index, tensor))
        outputs.append(tensor.name)
    return copies, outputs


def _copy(source: Tensor, made: Tensor) -> Node:
    """A reshape to the same shape: it copies what has to have a buffer of its own."""
    return Node(
        name=made.name,
        op="reshape",
        inputs=(source.name,),
        outputs=(made.name,),
        attributes=ReshapeAttributes(shape=made.shape),
    )
