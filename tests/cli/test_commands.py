"""The commands from end to end, on a tiny model in Python and on its .tflite."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import edgegen as package
from edgegen.cli import building, proving
from edgegen.codegen.reference import Reference
from edgegen.errors import MismatchError
from edgegen.frontend.importers.tflite import load_tflite
from edgegen.targets import list_targets
from tests.cli.command_line import CommandLine, everything, write_tiny

TARGETS = [target.name for target in list_targets()]


# build and verify --------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["cortex-m4", "wasm32-wasi"])
def test_build_then_verify(target: str, edgegen: CommandLine, tmp_path: Path) -> None:
    folder = write_tiny(tmp_path / "with spaces, Größe")
    built = edgegen("build", folder, "--target", target)
    assert built.status == 0, built.err
    assert f"tiny for {target}" in built.out
    assert "bit-exact: 16 vectors, 48 bytes from the emulated image equal the integer reference" in built.out
    assert "arena" in built.out
    proven = edgegen("verify", folder, "--target", target, "--vectors", "40")
    assert proven.status == 0, proven.err
    assert re.search(
        r"40 vectors, 120 bytes of output and [\d,]+ bytes of layers compared: all equal", proven.out
    )
    assert "\x1b" not in built.out + built.err + proven.out + proven.err


def test_json_is_all_that_is_on_standard_output(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    built = json.loads(edgegen("build", "--target", "host", "--json").out)
    assert built["bit_exact"] is True
    assert built["vectors"] == 16
    assert built["manifest"]["model"] == "tiny"
    assert built["sizes"]["arena_bytes"] == built["manifest"]["arena_bytes"]
    proven = json.loads(edgegen("verify", "--target", "host", "--vectors", "9", "--json").out)
    assert (proven["vectors"], proven["bytes_compared"], proven["bit_exact"]) == (9, 27, True)
    assert {target["name"] for target in json.loads(edgegen("targets", "--json").out)} == set(TARGETS)


def test_all_targets_in_one_go(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    documents = json.loads(edgegen("build", "--target", "all", "--json").out)
    assert [document["manifest"]["target"] for document in documents] == TARGETS
    proven = edgegen("verify", "--target", "all", "--vectors", "8", "--emulator", "qemu", "--quiet")
    assert proven.status in (0, 5), proven.err  # 5: QEMU is not installed here
    assert proven.out == ""


def test_one_failing_target_does_not_hide_the_others(
    edgegen: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_tiny(tmp_path)
    tried = []

    def failing(source: object, target: object, *args: object, **kwargs: object) -> None:
        tried.append(target.name)  # type: ignore[attr-defined]
        raise MismatchError(f"{tried[-1]} differs")

    monkeypatch.setattr(building, "build", failing)
    ran = edgegen("build", "--target", "all")
    assert ran.status == 6
    assert tried == TARGETS
    assert [name for name in TARGETS if f"{name} differs" not in ran.err] == []
    assert ran.err.count("error: ") == 1


def test_verify_against_other_targets_build_first(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    assert "run `python -m edgegen build --target cortex-a53` first" in edgegen.fails(
        2, "verify", "--target", "cortex-a53"
    )


def test_the_model_that_was_not_named_is_said(edgegen: CommandLine, tmp_path: Path) -> None:
    assert "model: the bundled example mnist" in edgegen("verify", "--target", "host").err
    write_tiny(tmp_path)
    assert "model: edgegen.toml" in edgegen("verify", "--target", "host").err


def test_tampering_ends_with_the_status_of_a_mismatch(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    assert edgegen("build", "--target", "host", "--quiet").status == 0
    kernel = tmp_path / "build" / "tiny" / "host" / "lib" / "tiny" / "src" / "tiny_conv2d.c"
    kernel.write_text(
        kernel.read_text(encoding="utf-8").replace("p->output_offset", "p->output_offset + 1"),
        encoding="utf-8",
    )
    message = edgegen.fails(6, "verify", "--target", "host", "--quiet")
    assert "first diverging layer: 0 conv2d" in message


# run, export, eval, inspect ----------------------------------------------------------------------------


def test_run_gives_the_same_bytes_everywhere(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    assert edgegen("export", "--output", "tiny.tflite").status == 0
    graph = load_tflite((tmp_path / "tiny.tflite").read_bytes())
    x = np.random.default_rng(0).integers(-128, 128, (7, 6, 6, 1)).astype(np.int8)
    expected = Reference(graph).run([x[:, np.newaxis]]).outputs[0]
    np.save(tmp_path / "x.npy", x)
    np.savez(tmp_path / "x.npz", **{graph.inputs[0]: x})
    (tmp_path / "x.bin").write_bytes(x.tobytes())
    for target in ("cortex-m4", "host"):
        assert edgegen("build", "--target", target, "--quiet").status == 0
    for target in ("reference", "host-c", "host", "cortex-m4"):
        ran = edgegen("run", "--target", target, "--input", "x.npy", "--output", "y.npy")
        assert (ran.status, ran.out) == (0, "7 vectors: y.npy\n"), ran.err
        assert np.array_equal(np.load(tmp_path / "y.npy"), expected)
    for given, taken in (("x.npz", "y.npz"), ("x.bin", "y.bin")):
        assert edgegen("run", "--input", given, "--output", taken).status == 0
    assert (tmp_path / "y.bin").read_bytes() == expected.tobytes()
    assert np.array_equal(np.load(tmp_path / "y.npz")[graph.outputs[0]], expected)
    assert not list(tmp_path.glob("*.part"))


def test_an_exported_model_builds_to_the_same_bytes(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    assert edgegen("export", "--output", "tiny.tflite").status == 0
    assert edgegen("build", "--target", "host", "--output", "a", "--quiet").status == 0
    assert edgegen("build", "tiny.tflite", "--target", "host", "--output", "b", "--quiet").status == 0
    sources = [everything(tmp_path / folder / "tiny" / "host" / "lib" / "tiny") for folder in ("a", "b")]
    selftest = "src/tiny_selftest.c"  # has one of the model's own samples
    assert {k: v for k, v in sources[0].items() if k != selftest} == {
        k: v for k, v in sources[1].items() if k != selftest
    }


def test_eval(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    ran = edgegen("eval")
    assert ran.status == 0, ran.err
    assert re.search(r"accuracy over 30 samples: float \d+\.\d\d%, int8 \d+\.\d\d%", ran.out)
    assert json.loads(edgegen("eval", "--json").out)["samples"] == 30


def test_inspect(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    edgegen("export", "--output", "tiny.tflite")
    ran = edgegen("inspect", "tiny.tflite")
    assert ran.status == 0
    assert "CONV_2D" in ran.out
    assert json.loads(edgegen("inspect", "tiny.tflite", "--json").out)["name"] == "tiny"


def test_targets_and_version(edgegen: CommandLine) -> None:
    ran = edgegen("targets")
    assert all(name in ran.out for name in TARGETS)
    assert edgegen("version").out == f"{package.__version__}\n"


@pytest.mark.parametrize(
    "command", ["build", "verify", "run", "eval", "flash", "train", "export", "inspect", "new"]
)
def test_help_shows_an_example(command: str, edgegen: CommandLine) -> None:
    ran = edgegen(command, "--help")
    assert ran.status == 0
    assert f"edgegen {command}" in ran.out
    assert "Example" in ran.out


# How it ends -------------------------------------------------------------------------------------------


def test_a_defect_is_called_one(edgegen: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(**options: object) -> None:
        raise KeyError("lost")

    monkeypatch.setattr("edgegen.cli.listing.list_all", broken)
    ran = edgegen("targets")
    assert ran.status == 1
    assert "a defect of edgegen, please report it: KeyError: 'lost'" in ran.err
    assert "Traceback" not in ran.err
    monkeypatch.setenv("EDGEGEN_DEBUG", "1")
    assert "Traceback" in edgegen("targets").err


def test_interrupted(edgegen: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object, **kwargs: object) -> None:
        raise KeyboardInterrupt

    write_tiny(tmp_path)
    monkeypatch.setattr(proving, "verify", interrupted)
    assert edgegen("build", "--target", "host", "--quiet").status == 0
    ran = edgegen("verify", "--target", "host")
    assert ran.status == 130
    assert "interrupted" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.skipif(os.name == "nt", reason="signals of another process are not the same there")
def test_a_real_interruption_leaves_a_whole_project(tmp_path: Path) -> None:
    write_tiny(tmp_path)
    command = [sys.executable, "-m", "edgegen", "build", "--target", "cortex-m4", "--verbose"]
    process = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("compiling"):
            time.sleep(0.2)
            process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    process.stderr.close()
    assert process.stdout is not None
    process.stdout.close()
    assert [folder.name for folder in (tmp_path / "build" / "tiny").iterdir()] == ["cortex-m4"]
    project = tmp_path / "build" / "tiny" / "cortex-m4"
    assert json.loads((project / "manifest.json").read_text(encoding="utf-8"))["image"] is None
    rerun = subprocess.run([*command[:-1], "--quiet"], cwd=tmp_path, capture_output=True, check=False)
    assert rerun.returncode == 0, rerun.stderr


def test_as_a_module_without_a_terminal(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "edgegen", "build", "nothing.tflite"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == "error: there is no model nothing.tflite\n"


def test_profile_and_memory(edgegen: CommandLine, tmp_path: Path) -> None:
    write_tiny(tmp_path)
    ran = edgegen("profile", "--json", "--page", "profile.html")
    assert ran.status == 0, ran.err
    profile = json.loads(ran.out)
    assert profile["instructions"] == profile["overhead_instructions"] + sum(
        layer["instructions"] for layer in profile["layers"]
    )
    assert (tmp_path / "profile.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    ran = edgegen("memory", "--json", "--page", "memory.html")
    assert ran.status == 0, ran.err
    plan = json.loads(ran.out)
    assert plan["arena_bytes"] >= plan["bound_bytes"] > 0
    assert set(plan["modes"]) == {"balanced", "speed", "size", "ram"}
    assert (tmp_path / "memory.html").is_file()
    assert edgegen("profile", "--target", "wasm32-wasi").status == 2
    assert edgegen("memory", "--optimize", "fast").status == 2
    assert edgegen("memory", "--page", "nowhere/x.html").status == 2
