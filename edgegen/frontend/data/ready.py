"""Well-known data sets: downloaded once into a folder that you name, checked by their hashes.

Images are unsigned bytes (N, H, W, C); `unit` makes them floats from 0 to 1. Licences are those of their
makers: see the pages that the docstrings name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from edgegen.errors import ModelError, UsageError
from edgegen.frontend.data.download import Progress, RemoteFile, fetch
from edgegen.frontend.data.formats import Bytes, Labels, read_cifar, read_idx, read_wave, tar_members

_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist/"
_FASHION = "http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"
MNIST_FILES = (
    RemoteFile(
        f"{_MNIST}train-images-idx3-ubyte.gz",
        "sha256:440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
    ),
    RemoteFile(
        f"{_MNIST}train-labels-idx1-ubyte.gz",
        "sha256:3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
    ),
    RemoteFile(
        f"{_MNIST}t10k-images-idx3-ubyte.gz",
        "sha256:8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
    ),
    RemoteFile(
        f"{_MNIST}t10k-labels-idx1-ubyte.gz",
        "sha256:f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
    ),
)
FASHION_MNIST_FILES = (
    RemoteFile(f"{_FASHION}train-images-idx3-ubyte.gz", "md5:8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
    RemoteFile(f"{_FASHION}train-labels-idx1-ubyte.gz", "md5:25c81989df183df01b3e8a0aad5dffbe"),
    RemoteFile(f"{_FASHION}t10k-images-idx3-ubyte.gz", "md5:bef4ecab320f06d8554ea6380940ec79"),
    RemoteFile(f"{_FASHION}t10k-labels-idx1-ubyte.gz", "md5:bb300cfdad3c16e7a12a480ee83cd310"),
)
CIFAR10_FILE = RemoteFile(
    "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
    "sha256:c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
)
SPEECH_COMMANDS_FILE = RemoteFile(
    "https://storage.googleapis.com/download.tensorflow.org/data/speech_commands_v0.02.tar.gz",
    "sha256:af14739ee7dc311471de98f5f9d2c9191b18aedfe957f4a6ff791c709868ff58",
)
FASHION_CLASSES = (
    "T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot",
)  # fmt: skip
CIFAR10_CLASSES = (
    "airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck",
)  # fmt: skip
SPEECH_RATE = 16_000


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Images (N, H, W, C) of bytes with class numbers, to train on and to test with; class names."""

    train_images: Bytes
    train_labels: Labels
    test_images: Bytes
    test_labels: Labels
    classes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SpeechSet:
    """Second-long sounds (N, 16000) of 16-bit samples with class numbers; parts do not share speakers."""

    train: tuple[npt.NDArray[np.int16], Labels]
    validation: tuple[npt.NDArray[np.int16], Labels]
    test: tuple[npt.NDArray[np.int16], Labels]
    words: tuple[str, ...]


def unit(images: Bytes) -> npt.NDArray[np.float32]:
    """Bytes as floats from 0 to 1."""
    return images.astype(np.float32) / np.float32(255)


def mnist(
    folder: Path | str,
    *,
    files: Sequence[RemoteFile] = MNIST_FILES,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> ImageSet:
    """60,000 + 10,000 handwritten digits of 28 x 28 (LeCun, Cortes; CC BY-SA 3.0).

    `base_url` is another place that has the same files.
    """
    return _idx_set(folder, files, base_url, progress, tuple("0123456789"))


def fashion_mnist(
    folder: Path | str,
    *,
    files: Sequence[RemoteFile] = FASHION_MNIST_FILES,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> ImageSet:
    """60,000 + 10,000 pieces of clothing of 28 x 28 (Zalando Research; MIT)."""
    return _idx_set(folder, files, base_url, progress, FASHION_CLASSES)


def cifar10(
    folder: Path | str,
    *,
    file: RemoteFile = CIFAR10_FILE,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> ImageSet:
    """50,000 + 10,000 colour images of 32 x 32 (Krizhevsky, 2009), from the binary form of the set."""
    path = fetch(file.at(base_url) if base_url else file, folder, progress=progress)
    inside = "cifar-10-batches-bin"
    train = read_cifar(path, tuple(f"{inside}/data_batch_{n}.bin" for n in range(1, 6)))
    test = read_cifar(path, (f"{inside}/test_batch.bin",))
    return ImageSet(*train, *test, CIFAR10_CLASSES)


def speech_commands(
    folder: Path | str,
    words: Sequence[str],
    *,
    file: RemoteFile = SPEECH_COMMANDS_FILE,
    base_url: str | None = None,
    progress: Progress | None = None,
) -> SpeechSet:
    """Spoken words, one second each at 16 kHz (Warden, 2018; CC BY 4.0), split as its authors split them.

    Class i is `words[i]`. The archive has 2.4 GB; it is read in place and not unpacked.
    """
    if not words or len(set(words)) != len(words):
        raise UsageError(f"speech_commands: takes different words, at least one, got {list(words)}")
    path = fetch(file.at(base_url) if base_url else file, folder, progress=progress)
    lists: dict[str, frozenset[str]] = {}
    sounds: dict[str, npt.NDArray[np.int16]] = {}
    for name, content in tar_members(path):
        word = name.partition("/")[0]
        if name in ("testing_list.txt", "validation_list.txt"):
            lists[name] = frozenset(content.decode("utf-8").split())
        elif word in words and name.endswith(".wav"):
            sounds[name] = read_wave(content, name, rate=SPEECH_RATE, samples=SPEECH_RATE)
    unheard = [word for word in words if not any(name.startswith(f"{word}/") for name in sounds)]
    if unheard or len(lists) != 2:
        raise ModelError(f"{path}: has no {', '.join(unheard) or 'testing_list.txt and validation_list.txt'}")
    test = [name for name in sounds if name in lists["testing_list.txt"]]
    validation = [name for name in sounds if name in lists["validation_list.txt"]]
    train = sorted(sounds.keys() - {*test, *validation})
    return SpeechSet(
        _speech_part(train, sounds, words),
        _speech_part(sorted(validation), sounds, words),
        _speech_part(sorted(test), sounds, words),
        tuple(words),
    )


def _speech_part(
    names: Sequence[str], sounds: dict[str, npt.NDArray[np.int16]], words: Sequence[str]
) -> tuple[npt.NDArray[np.int16], Labels]:
    numbers = {word: number for number, word in enumerate(words)}
    labels = np.array([numbers[name.partition("/")[0]] for name in names], np.int64)
    silence = np.zeros((0, SPEECH_RATE), np.int16)
    return (np.stack([sounds[name] for name in names]) if names else silence), labels


def _idx_set(
    folder: Path | str,
    files: Sequence[RemoteFile],
    base_url: str | None,
    progress: Progress | None,
    classes: tuple[str, ...],
) -> ImageSet:
    paths = [fetch(f.at(base_url) if base_url else f, folder, progress=progress) for f in files]
    train_images, train_labels, test_images, test_labels = (read_idx(path) for path in paths)
    for images, labels, path in (
        (train_images, train_labels, paths[0]),
        (test_images, test_labels, paths[2]),
    ):
        if images.ndim != 3 or labels.shape != images.shape[:1]:
            raise ModelError(
                f"{path}: images {images.shape} and labels {labels.shape} do not belong together"
            )
    return ImageSet(
        train_images[..., np.newaxis],
        train_labels.astype(np.int64),
        test_images[..., np.newaxis],
        test_labels.astype(np.int64),
        classes,
    )
