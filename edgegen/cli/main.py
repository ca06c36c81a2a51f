"""The entry point: runs a command, and turns every error into one message and an exit status.

0 done; 1 a defect of edgegen; 2 usage; 3 the model; 4 a budget; 5 a tool; 6 a mismatch; 130 interrupted.
"""

from __future__ import annotations

import sys
import traceback
from typing import Any

import typer

from edgegen.cli.commands import app
from edgegen.cli.console import Output, debugging
from edgegen.errors import EdgegenError

INTERRUPTED = 130
# click's own class, or that of the copy that newer versions of typer carry
ClickException: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return its exit status."""
    try:
        status = typer.main.get_command(app).main(args=arguments, prog_name="edgegen", standalone_mode=False)
        # some versions of typer turn an interruption into this status themselves
        return _interrupted() if status == INTERRUPTED else status if isinstance(status, int) else 0
    except EdgegenError as problem:
        Output().fail(str(problem))
        return problem.exit_code
    except ClickException as problem:
        problem.show()
        return int(problem.exit_code)
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except Exception as defect:
        return _defect(defect)


def _interrupted() -> int:
    Output().fail("interrupted; nothing half-written is left")
    return INTERRUPTED


def _defect(defect: Exception) -> int:
    if debugging():
        traceback.print_exc()
    where = traceback.extract_tb(defect.__traceback__)[-1]
    Output().fail(
        f"a defect of edgegen, please report it: {type(defect).__name__}: {defect} "
        f"({where.filename}:{where.lineno}); EDGEGEN_DEBUG=1 shows the traceback"
    )
    return 1
