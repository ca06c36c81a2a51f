"""Files from the network: whole and of the expected hash, or an error and no file."""

from __future__ import annotations

import hashlib
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from http.client import HTTPException
from pathlib import Path
from typing import Any, BinaryIO
from urllib.error import URLError

from edgegen.errors import ModelError, ToolError, UsageError

CHUNK = 1 << 20
SCHEMES = ("https", "http", "file")
Progress = Callable[[int, int | None], None]
"""Told the bytes so far and in all, None where the server does not say."""


@dataclass(frozen=True)
class RemoteFile:
    """A file at `url` whose content has the digest `KIND:HEX`, such as sha256:440f... or md5:..."""

    url: str
    digest: str

    @property
    def name(self) -> str:
        """Under which it is kept."""
        return self.url.rpartition("/")[2]

    def at(self, base_url: str) -> RemoteFile:
        """The same file from another place, such as a mirror or file:///a/folder."""
        return replace(self, url=f"{base_url.rstrip('/')}/{self.name}")


def fetch(
    file: RemoteFile, folder: Path | str, *, timeout_s: float = 60, progress: Progress | None = None
) -> Path:
    """The file in `folder`, downloaded unless it is there already.

    `UsageError`: the folder cannot be written, or holds another file of that name. `ToolError`: there is no
    connection, or it ended early. `ModelError`: the content is not the expected one. In each case no file is
    left that was not there before.
    """
    folder = Path(folder)
    path = folder / file.name
    if path.is_file():
        found = digest_of(path, file.digest)
        if found != file.digest:
            raise UsageError(
                f"{path} is there but is {found} instead of {file.digest}; remove it to download it"
            )
        return path
    part = folder / f"{file.name}.{uuid.uuid4().hex}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with part.open("xb") as target:
            found = _download(file, target, timeout_s, progress)
        if found != file.digest:
            raise ModelError(
                f"{file.url} is not what it was: expected {file.digest}, got {found}; nothing was kept. Try "
                "again, or another place by base_url="
            )
        part.replace(path)
    except OSError as problem:
        raise UsageError(f"cannot write {path}: {problem.strerror or problem}") from problem
    finally:
        with suppress(OSError):
            part.unlink()
    return path


def digest_of(path: Path, like: str) -> str:
    """The digest of a file, of the same kind as the digest `like`."""
    hasher = _hasher(like)
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            hasher.update(chunk)
    return f"{_kind(like)}:{hasher.hexdigest()}"


def _hasher(digest: str) -> hashlib._Hash:
    # Against damage and mix-ups, not against attacks, so that MD5 may do where nothing else is known.
    return hashlib.new(_kind(digest), usedforsecurity=False)


def _kind(digest: str) -> str:
    kind = digest.partition(":")[0]
    if kind not in ("md5", "sha256"):
        raise UsageError(f"digest {digest!r}: takes md5:HEX or sha256:HEX")
    return kind


def _download(file: RemoteFile, target: BinaryIO, timeout_s: float, progress: Progress | None) -> str:
    """Copy the content; gives its digest."""
    hasher = _hasher(file.digest)
    for chunk in _chunks(file.url, timeout_s, progress):
        hasher.update(chunk)
        target.write(chunk)
    return f"{_kind(file.digest)}:{hasher.hexdigest()}"


def _chunks(url: str, timeout_s: float, progress: Progress | None) -> Iterator[bytes]:
    """What a URL holds, all of it."""
    if url.partition(":")[0] not in SCHEMES:
        raise UsageError(f"{url}: takes a URL of {', '.join(SCHEMES)}")
    size, total = 0, None
    try:
        with urllib.request.urlopen(url, timeout=timeout_s) as response:
            length = response.headers.get("Content-Length")
            total = int(length) if length and length.isdigit() else None
            while chunk := _read(response, url):
                size += len(chunk)
                if progress:
                    progress(size, total)
                yield chunk
    except URLError as problem:
        raise ToolError(f"cannot download {url}: {problem}") from problem
    if total is not None and size != total:
        raise ToolError(f"the download of {url} ended after {size:,} of {total:,} bytes; try again")


def _read(response: Any, url: str) -> bytes:
    try:
        chunk: bytes = response.read(CHUNK)
    except (OSError, HTTPException) as problem:
        raise ToolError(f"cannot download {url}: {problem}") from problem
    return chunk
