"""Downloads, whole or not at all, and the formats of well-known data sets, from files made here."""

from __future__ import annotations

import gzip
import hashlib
import io
import struct
import tarfile
import threading
import wave
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np
import pytest

from edgegen.errors import EdgegenError, ModelError, ToolError, UsageError
from edgegen.frontend.data import RemoteFile, fetch, ready
from edgegen.frontend.data.formats import CIFAR_RECORD, read_cifar, read_idx, read_wave


def remote(path: Path, content: bytes, kind: str = "sha256") -> RemoteFile:
    """A file that stands on this disk, with its true digest."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return RemoteFile(path.as_uri(), f"{kind}:{hashlib.new(kind, content).hexdigest()}")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


@pytest.mark.parametrize("kind", ["sha256", "md5"])
def test_a_file_is_downloaded_once(kind: str, tmp_path: Path) -> None:
    content = bytes(range(256)) * 10_000
    file = remote(tmp_path / "there" / "a.bin", content, kind)
    seen: list[tuple[int, int | None]] = []
    path = fetch(file, tmp_path / "new" / "here", progress=lambda done, total: seen.append((done, total)))
    assert path == tmp_path / "new" / "here" / "a.bin"
    assert path.read_bytes() == content and names(path.parent) == ["a.bin"]
    assert seen[-1] == (len(content), len(content)) and len(seen) == 3
    (tmp_path / "there" / "a.bin").unlink()
    assert fetch(file, path.parent) == path


def test_a_wrong_hash_leaves_nothing(tmp_path: Path) -> None:
    file = remote(tmp_path / "there" / "a.bin", b"as it was")
    (tmp_path / "there" / "a.bin").write_bytes(b"as it is")
    with pytest.raises(
        ModelError, match=r"is not what it was: expected sha256:.*, got sha256:.*nothing was kept"
    ):
        fetch(file, tmp_path / "here")
    assert names(tmp_path / "here") == []


def test_a_file_that_is_there_with_another_content_is_kept_and_named(tmp_path: Path) -> None:
    file = remote(tmp_path / "there" / "a.bin", b"content")
    (tmp_path / "a.bin").write_bytes(b"mine")
    with pytest.raises(UsageError, match=r"a.bin is there but is sha256:.* remove it"):
        fetch(file, tmp_path)
    assert (tmp_path / "a.bin").read_bytes() == b"mine"


class Truncating(BaseHTTPRequestHandler):
    """Promises more than it sends, or refuses."""

    def do_GET(self) -> None:
        if self.path == "/none":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"x" * 60)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing on the terminal."""


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Truncating) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()
        thread.join()


def test_a_truncated_download_leaves_nothing(server: str, tmp_path: Path) -> None:
    digest = f"sha256:{hashlib.sha256(b'x' * 60).hexdigest()}"
    with pytest.raises(ToolError, match="ended after 60 of 100 bytes; try again"):
        fetch(RemoteFile(f"{server}/a.bin", digest), tmp_path)
    with pytest.raises(ToolError, match=r"cannot download .*/none: HTTP Error 404"):
        fetch(RemoteFile(f"{server}/none", digest), tmp_path)
    assert names(tmp_path) == []


def test_what_cannot_be_downloaded(tmp_path: Path) -> None:
    cases: Mapping[str, tuple[RemoteFile, type[EdgegenError]]] = {
        "cannot download file:": (RemoteFile((tmp_path / "none").as_uri(), "md5:00"), ToolError),
        "takes a URL of https, http, file": (RemoteFile("ftp://somewhere/a", "md5:00"), UsageError),
        "takes md5:HEX or sha256:HEX": (RemoteFile("http://somewhere/a", "crc:00"), UsageError),
    }
    for message, (file, kind) in cases.items():
        with pytest.raises(kind, match=message):
            fetch(file, tmp_path / "here")
        assert names(tmp_path / "here") == []
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match="cannot write"):
        fetch(remote(tmp_path / "a", b"a"), tmp_path / "file" / "folder")


# IDX ----------------------------------------------------------------------------------------------------


def idx(array: np.ndarray) -> bytes:
    head = b"\0\0\x08" + bytes([array.ndim]) + struct.pack(f">{array.ndim}I", *array.shape)
    return gzip.compress(head + array.astype(np.uint8).tobytes(), mtime=0)


def image_files(folder: Path, names_of: tuple[RemoteFile, ...], **changes: np.ndarray) -> list[RemoteFile]:
    rng = np.random.default_rng(0)
    arrays = [
        changes.get("train_images", rng.integers(0, 256, (6, 28, 28))),
        np.arange(6),
        rng.integers(0, 256, (2, 28, 28)),
        np.arange(2),
    ]
    return [remote(folder / f.name, idx(a)) for f, a in zip(names_of, arrays, strict=True)]


@pytest.mark.parametrize("load", [ready.mnist, ready.fashion_mnist])
def test_digits_and_clothes(load: object, tmp_path: Path) -> None:
    files = image_files(tmp_path / "there", ready.MNIST_FILES)
    found = load(tmp_path / "here", files=files)  # type: ignore[operator]
    assert found.train_images.shape == (6, 28, 28, 1) and found.train_images.dtype == np.uint8
    assert found.test_images.shape == (2, 28, 28, 1) and found.test_labels.tolist() == [0, 1]
    assert len(found.classes) == 10
    scaled = ready.unit(found.train_images)
    assert scaled.dtype == np.float32 and scaled.max() <= 1
    assert names(tmp_path / "here") == sorted(f.name for f in files)


def test_another_place_must_have_the_true_files(tmp_path: Path) -> None:
    image_files(tmp_path / "there", ready.MNIST_FILES)
    with pytest.raises(ModelError, match="expected sha256:440fcabf"):
        ready.mnist(tmp_path / "here", base_url=(tmp_path / "there").as_uri())
    assert names(tmp_path / "here") == []


def test_images_and_labels_that_do_not_belong_together(tmp_path: Path) -> None:
    files = image_files(tmp_path / "there", ready.MNIST_FILES, train_images=np.zeros((5, 28, 28)))
    with pytest.raises(ModelError, match="do not belong together"):
        ready.mnist(tmp_path / "here", files=files)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not an IDX file"),
        (b"hello", "not a sound gzip file"),
        (idx(np.ones(9))[:-9], "not a sound gzip file"),
        (gzip.compress(b"\0\0\x09\1", mtime=0), "it begins with 00 00 09 01"),
        (gzip.compress(b"\0\0\x08\3\0", mtime=0), "not an IDX file"),
        (gzip.compress(b"\0\0\x08\1\0\0\0\5ab", mtime=0), "holds 2 values"),
    ],
)
def test_idx_files_that_are_none(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(content)
    with pytest.raises(ModelError, match=message):
        read_idx(tmp_path / "a.gz")


# CIFAR --------------------------------------------------------------------------------------------------


def tar(members: Mapping[str, bytes]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return content.getvalue()


def cifar_batch(*labels: int) -> bytes:
    planes = np.repeat(np.array([10, 20, 30], np.uint8), 1024).tobytes()
    return b"".join(bytes([label]) + planes for label in labels)


def test_colour_images(tmp_path: Path) -> None:
    batches = {f"cifar-10-batches-bin/data_batch_{n}.bin": cifar_batch(n, n) for n in range(1, 6)}
    content = tar({"cifar-10-batches-bin/test_batch.bin": cifar_batch(9), **batches, "other": b"x"})
    found = ready.cifar10(tmp_path / "here", file=remote(tmp_path / "cifar.tar.gz", content))
    assert found.train_labels.tolist() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert found.train_images.shape == (10, 32, 32, 3) and found.test_images.shape == (1, 32, 32, 3)
    assert (found.train_images == [10, 20, 30]).all()
    assert found.classes[9] == "truck"


def test_archives_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "a.tar.gz"
    for content, message in (
        (b"hello", "not a sound tar archive"),
        (tar({"a": bytes(CIFAR_RECORD)}), r"lacks \['b'\]"),
        (tar({"b": bytes(CIFAR_RECORD - 1)}), r"no whole records in \['b'\]"),
    ):
        path.write_bytes(content)
        with pytest.raises(ModelError, match=message):
            read_cifar(path, ("b",))


# Speech -------------------------------------------------------------------------------------------------


def sound(value: int, samples: int = 16_000, *, rate: int = 16_000, channels: int = 1) -> bytes:
    content = io.BytesIO()
    with wave.open(content, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.full(samples * channels, value, "<i2").tobytes())
    return content.getvalue()


SPEECH = {
    "./yes/a_nohash_0.wav": sound(1),
    "./yes/b_nohash_0.wav": sound(2, 12_000),
    "./no/a_nohash_0.wav": sound(3),
    "./no/c_nohash_0.wav": sound(4, 17_000),
    "./cat/a_nohash_0.wav": sound(5),
    "./validation_list.txt": b"yes/b_nohash_0.wav\n",
    "./testing_list.txt": b"no/c_nohash_0.wav\ncat/a_nohash_0.wav\n",
}


def test_spoken_words(tmp_path: Path) -> None:
    file = remote(tmp_path / "speech.tar.gz", tar(SPEECH))
    found = ready.speech_commands(tmp_path / "here", ("no", "yes"), file=file)
    train, labels = found.train
    assert train.shape == (2, 16_000) and train.dtype == np.int16
    assert labels.tolist() == [0, 1] and train[:, 0].tolist() == [3, 1]
    validation, labels = found.validation
    assert labels.tolist() == [1] and validation[0, 11_999:12_001].tolist() == [2, 0]
    assert found.test[0].shape == (1, 16_000) and found.test[1].tolist() == [0]


def test_words_that_are_not_there(tmp_path: Path) -> None:
    file = remote(tmp_path / "speech.tar.gz", tar(SPEECH))
    with pytest.raises(ModelError, match="has no dog"):
        ready.speech_commands(tmp_path / "here", ("no", "dog"), file=file)
    with pytest.raises(UsageError, match="takes different words"):
        ready.speech_commands(tmp_path / "here", ("no", "no"), file=file)
    part = remote(tmp_path / "part.tar.gz", tar({"no/a.wav": sound(1)}))
    with pytest.raises(ModelError, match=r"has no testing_list.txt and validation_list.txt"):
        ready.speech_commands(tmp_path / "here", ("no",), file=part)


def test_sounds_of_another_kind() -> None:
    for content, message in (
        (b"hello", "a.wav: not a sound WAV file"),
        (sound(1, rate=8_000), r"takes \(channels, bytes, rate\) = \(1, 2, 16000\), got \(1, 2, 8000\)"),
        (sound(1, channels=2), r"got \(2, 2, 16000\)"),
    ):
        with pytest.raises(ModelError, match=message):
            read_wave(content, "a.wav", rate=16_000, samples=16_000)
