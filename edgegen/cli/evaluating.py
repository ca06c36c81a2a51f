"""`edgegen eval`."""

from __future__ import annotations

from edgegen.cli.console import Output
from edgegen.cli.selecting import choose_source
from edgegen.errors import UsageError


def run_eval(model: str | None, *, show: Output) -> None:
    """Accuracy in float and int8, and the report of every layer."""
    source = choose_source(model, show)
    if source.kind == "tflite":
        raise UsageError(f"{source.path} has no evaluation set; `edgegen eval` takes a Python model")
    from edgegen.codegen.evaluation import evaluate_python_model

    with show.steps() as step:
        step("evaluating")
        report = evaluate_python_model(source)
    show.table(report.headings, report.rows, title=f"{report.name}: float against int8, layer by layer")
    show.say(
        f"accuracy over {report.samples} samples: float {report.float_accuracy:.2%}, "
        f"int8 {report.int8_accuracy:.2%}"
    )
    show.document(report.document())
