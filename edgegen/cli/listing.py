"""`edgegen targets` and `edgegen inspect`."""

from __future__ import annotations

import json
from pathlib import Path

from edgegen.cli.console import Output, count
from edgegen.targets import Target, list_targets


def list_all(*, show: Output) -> None:
    """One row a target."""
    found = list_targets()
    rows = [
        [
            target.name,
            target.cpu,
            target.board.id,
            count(target.budget.flash_bytes),
            count(target.budget.ram_bytes),
            count(target.budget.stack_bytes),
            ", ".join(choice.name for choice in target.emulators),
            ", ".join(target.compile_flags),
        ]
        for target in found
    ]
    show.table(["target", "cpu", "board", "flash", "RAM", "stack", "emulators", "compilers"], rows)
    show.document([_document(target) for target in found])


def _document(target: Target) -> dict[str, object]:
    return {
        "name": target.name,
        "title": target.title,
        "cpu": target.cpu,
        "board": target.board.id,
        "boards": [board.id for board in target.boards],
        "flash_bytes": target.budget.flash_bytes,
        "ram_bytes": target.budget.ram_bytes,
        "stack_bytes": target.budget.stack_bytes,
        "emulators": [choice.name for choice in target.emulators],
        "compilers": list(target.compile_flags),
    }


def inspect_file(path: Path, *, show: Output) -> None:
    """What a .tflite file holds."""
    from edgegen.codegen.inspect import InspectedTensor, as_json, inspect_tflite

    found = inspect_tflite(path)

    def tensor(item: InspectedTensor | None) -> str:
        return "-" if item is None else f"{item.type}{list(item.shape)}"

    show.say(
        f"{found.name}: {count(found.file_bytes)} bytes, {count(found.macs)} MAC, "
        f"{count(found.parameters)} parameters"
    )
    for kind, ports in (("input", found.inputs), ("output", found.outputs)):
        for port in ports:
            scale = f", scale {port.scales[0]:g}, zero point {port.zero_points[0]}" if port.scales else ""
            show.say(f"{kind} {port.name}: {tensor(port)}{scale}")
    show.table(
        ["#", "operator", "inputs", "outputs", "MAC", "parameters", "problem"],
        [
            [
                operator.index,
                operator.name,
                " ".join(tensor(item) for item in operator.inputs if item is None or not item.constant),
                " ".join(tensor(item) for item in operator.outputs),
                count(operator.macs),
                count(operator.parameters),
                operator.problem or "",
            ]
            for operator in found.operators
        ],
    )
    for problem in found.problems:
        show.say(f"problem: {problem}")
    show.document(json.loads(as_json(found)))
