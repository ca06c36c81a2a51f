"""Files that appear whole or not at all."""

from __future__ import annotations

import uuid
from contextlib import suppress
from pathlib import Path

from edgegen.errors import UsageError


def write_whole(path: Path, content: bytes, *, what: str = "") -> None:
    """Write beside the place, whose folder must be there, and move.

    `UsageError`, calling the content `what`, if that cannot be done.
    """
    # Opened plainly rather than by tempfile, whose files nobody else may read.
    temporary = path.with_name(f"{path.name}.{uuid.uuid4().hex}.part")
    try:
        with temporary.open("xb") as file:
            file.write(content)
        temporary.replace(path)
    except OSError as error:
        raise UsageError(f"cannot write {what and what + ' to '}{path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            temporary.unlink()
