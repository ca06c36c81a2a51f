"""A run on disk: run.json, which people read too, and the weights beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from edgegen.errors import UsageError
from edgegen.frontend.files import write_whole

RUN_FILE = "run.json"
WEIGHTS_FILE = "weights.safetensors"
OPTIMIZER_FILE = "optimizer.safetensors"
CHECKPOINT_FILE = "checkpoint.safetensors"
FORMAT = 1


@dataclass(frozen=True)
class Run:
    """What is known of a run.

    `status` is running, complete, interrupted or failed. `structure` has the printed model as lines and the
    shapes of its tensors; `data` the samples and hash of each loader's data set; `epochs` one mapping an
    epoch, with "epoch" and values by full name such as val/accuracy.
    """

    name: str
    status: str
    structure: Mapping[str, Any]
    hyperparameters: Mapping[str, Any]
    seeds: Mapping[str, int]
    data: Mapping[str, Any]
    versions: Mapping[str, str]
    epochs: tuple[Mapping[str, Any], ...] = ()

    def write(self, folder: Path) -> None:
        """Write run.json. UsageError if that cannot be done."""
        text = json.dumps({"format": FORMAT, **asdict(self)}, indent=2, ensure_ascii=False, default=str)
        write_whole(folder / RUN_FILE, (text + "\n").encode(), what="the record of the run")


def read_run(path: Path | str) -> Run:
    """The run of a folder, or of its run.json. UsageError if there is none or it is damaged."""
    file = Path(path)
    file = file / RUN_FILE if file.is_dir() else file
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content.pop("format") != FORMAT:
            raise UsageError(f"{file} was written by another version of edgegen")
        return Run(**{**content, "epochs": tuple(dict(epoch) for epoch in content["epochs"])})
    except FileNotFoundError:
        raise UsageError(f"there is no run in {file.parent}: it holds no {RUN_FILE}") from None
    except OSError as problem:
        raise UsageError(f"{file} cannot be read: {problem.strerror or problem}") from problem
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise UsageError(f"{file} is not the record of a run, or damaged") from problem
