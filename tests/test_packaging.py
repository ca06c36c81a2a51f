"""Wheel and sdist are complete: the wheel alone builds firmware."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a wheel and an sdist made from this tree."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    return folder


@pytest.mark.parametrize(
    "file",
    [
        "edgegen/py.typed",
        "edgegen/codegen/ops/conv2d.py",
        "edgegen/templates/model.c.j2",
        "edgegen/firmware/kernels/conv2d.c",
        "edgegen/firmware/kernels/fixed_point.h",
        "edgegen/firmware/platform/platform.json",
        "edgegen/firmware/harness/main.c",
        "edgegen/targets/cortex-m4/target.toml",
        "edgegen/targets/cortex-m4/kernels/packed_block.S",
        "edgegen/targets/cortex-m4/lowering.py",
        "edgegen/templates/new/train.py",
        "edgegen/templates/new/gitignore",
        "edgegen/examples/mnist/weights.safetensors",
        "edgegen/examples/mnist/data/digits.npz",
        "edgegen/emulate/block_counter.c",
    ],
)
def test_the_wheel_holds_what_is_not_python(archives: Path, file: str) -> None:
    with zipfile.ZipFile(next(archives.glob("*.whl"))) as wheel:
        assert file in wheel.namelist()


def test_the_sdist_holds_every_source_once(archives: Path) -> None:
    with tarfile.open(next(archives.glob("*.tar.gz"))) as sdist:
        names = [name.split("/", 1)[1] for name in sdist.getnames() if "/" in name]
    assert {"pyproject.toml", "README.md", "LICENSE", "edgegen/cli/main.py", "ci/run.sh"} <= set(names)
    assert not any(name.startswith(("codegen/", "examples/")) for name in names)


def test_the_wheel_alone_builds_firmware(archives: Path, tmp_path: Path) -> None:
    """Installed into an empty environment, with the tools of this one, away from the source tree."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    python = environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wheel = str(next(archives.glob("*.whl")))
    subprocess.run(
        [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel], check=True
    )
    packages = next(path for path in sys.path if path.endswith("site-packages"))
    where = "import edgegen, sys; print(edgegen.__file__)"
    paths = {**os.environ, "PYTHONPATH": packages}
    found = subprocess.run(
        [str(python), "-P", "-c", where], env=paths, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert str(environment) in found.stdout
    done = subprocess.run(
        [str(python), "-P", "-m", "edgegen", "build", "--target", "cortex-m4"],
        env=paths,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "bit-exact" in done.stdout
    assert (tmp_path / "build" / "mnist" / "cortex-m4" / "platformio.ini").is_file()
