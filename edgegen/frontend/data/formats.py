"""The file formats of well-known data sets. `ModelError`, naming the file, for what is not of its format."""

from __future__ import annotations

import gzip
import io
import math
import tarfile
import wave
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError

Bytes = npt.NDArray[np.uint8]
Labels = npt.NDArray[np.int64]
CIFAR_RECORD = 1 + 3 * 32 * 32


def read_idx(path: Path) -> Bytes:
    """A gzipped IDX file of bytes: 0, 0, type 8, rank, extents as 32-bit big-endian, values."""
    try:
        content = gzip.decompress(path.read_bytes())
    except (OSError, EOFError, zlib.error) as problem:
        raise ModelError(f"{path}: not a sound gzip file: {problem}") from problem
    rank = content[3] if content[:3] == b"\0\0\x08" and len(content) > 3 else 0
    start = 4 + 4 * rank
    if not rank or len(content) < start:
        raise ModelError(f"{path}: not an IDX file of bytes, it begins with {content[:4].hex(' ')}")
    shape = tuple(int(n) for n in np.frombuffer(content, ">u4", rank, offset=4))
    if len(content) - start != math.prod(shape):
        raise ModelError(f"{path}: holds {len(content) - start} values where its shape {shape} needs others")
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape).copy()


def read_cifar(path: Path, members: tuple[str, ...]) -> tuple[Bytes, Labels]:
    """Images (N, 32, 32, 3) and labels of binary CIFAR-10 batches: a label byte, then three planes, each."""
    found = dict(tar_members(path, members))
    missing = [name for name in members if name not in found]
    sizes = [name for name in found if len(found[name]) % CIFAR_RECORD]
    if missing or sizes:
        raise ModelError(f"{path}: lacks {missing} and has no whole records in {sizes}")
    records = np.frombuffer(b"".join(found[name] for name in members), np.uint8).reshape(-1, CIFAR_RECORD)
    images = records[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return np.ascontiguousarray(images), records[:, 0].astype(np.int64)


def tar_members(path: Path, names: tuple[str, ...] | None = None) -> Iterator[tuple[str, bytes]]:
    """Name and content of the files in a tar archive, in its order; nothing is written to disk."""
    try:
        with tarfile.open(path, "r:*") as archive:
            for member in archive:
                name = member.name.removeprefix("./")
                file = archive.extractfile(member) if names is None or name in names else None
                if file is not None:
                    yield name, file.read()
    except (tarfile.TarError, OSError, EOFError, zlib.error) as problem:
        raise ModelError(f"{path}: not a sound tar archive: {problem}") from problem


def read_wave(content: bytes, name: str, *, rate: int, samples: int) -> npt.NDArray[np.int16]:
    """A 16-bit mono WAV file of that rate, cut or filled with silence to `samples`."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            given: Any = (file.getnchannels(), file.getsampwidth(), file.getframerate())
            data = file.readframes(samples)
    except (wave.Error, EOFError) as problem:
        raise ModelError(f"{name}: not a sound WAV file: {problem}") from problem
    if given != (1, 2, rate):
        raise ModelError(f"{name}: takes (channels, bytes, rate) = (1, 2, {rate}), got {given}")
    sound = np.frombuffer(data, "<i2").astype(np.int16)
    return np.pad(sound, (0, samples - len(sound)))
