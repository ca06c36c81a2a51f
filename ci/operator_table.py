"""Write docs/operators.md from the operators themselves, or with --check say whether it is up to date."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from edgegen.codegen import ops
from edgegen.codegen.lower import load_lowering
from edgegen.targets import list_targets

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "operators.md"
HEAD = """# Operators

Generated from the code by `python ci/operator_table.py`; do not edit.

Every operator runs in NumPy integers, in portable C on every target, and, where the last column says so,
in a kernel of the target's own. "Cases" is how many drawn cases the tests compare byte for byte with
TensorFlow Lite Micro, NumPy and C in every run; `EDGEGEN_CASES` raises the number. Where TensorFlow Lite
Micro lacks the operator or the type, NumPy and C are compared with each other and with the float function.

| operator | .tflite | types | constraints | cases | kernels of a target |
|---|---|---|---|---|---|
"""


WITHOUT_TFLM = ("test_reference", "test_types_that_tflm_lacks")
"""Tests of what TensorFlow Lite Micro has not."""


def cases_of(name: str) -> int:
    """The drawn cases of an operator's test file in which TensorFlow Lite Micro takes part."""
    file = ROOT / "tests" / "codegen" / "ops" / f"test_{name}.py"
    if not file.is_file():
        return 0
    text = file.read_text(encoding="utf-8")
    found = re.findall(r"@cases\((\d+)\)\n(?:@.*\n)*def (\w+)", text)
    return sum(int(count) for count, test in found if test not in WITHOUT_TFLM)


def target_kernels() -> dict[str, list[str]]:
    """Kernels of the targets' own, by operator."""
    found: dict[str, list[str]] = {}
    for target in list_targets():
        lowering = load_lowering(target.folder)
        for operator, kernel in (lowering.KERNELS if lowering is not None else {}).items():
            found.setdefault(operator, []).append(f"{target.name}: {kernel}")
    return found


def table() -> str:
    kernels = target_kernels()
    rows = [
        f"| {name} | {op.tflite or '-'} | {op.types} | {op.constraints} | {cases_of(name) or '-'} "
        f"| {', '.join(kernels.get(name, []))} |"
        for name, op in ops.registry().items()
    ]
    return HEAD + "\n".join(rows) + "\n"


def main(arguments: list[str]) -> int:
    wanted = table()
    if "--check" in arguments:
        same = DOCUMENT.is_file() and DOCUMENT.read_text(encoding="utf-8") == wanted
        if not same:
            sys.stderr.write("docs/operators.md is out of date; run `python ci/operator_table.py`\n")
        return 0 if same else 1
    DOCUMENT.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
