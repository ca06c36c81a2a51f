"""From an empty folder to proven firmware, and training as a project does it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import ANY

import pytest

import edgegen as package
from edgegen.cli.recipe import Options, recipe
from edgegen.errors import ModelError, UsageError
from tests.cli.command_line import CommandLine, everything

USAGE, MODEL, INTERRUPTED = 2, 3, 130
FILES = {"README.md", "data.py", "edgegen.toml", ".gitignore", "model.py", "train.py"}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new project that was trained for two epochs; not to be changed."""
    folder = tmp_path_factory.mktemp("projects")
    for arguments in (["new", "demo"], ["train", "demo", "--epochs", "2", "--quiet"]):
        done = subprocess.run(
            [sys.executable, "-m", "edgegen", *arguments],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout == done.stderr == ""
    return folder / "demo"


def test_new_names_what_it_wrote_and_what_comes_next(edgegen: CommandLine, tmp_path: Path) -> None:
    ran = edgegen("new", "wind-turbine_2")
    assert ran.status == 0
    written = {
        file.name: file.read_text(encoding="utf-8") for file in (tmp_path / "wind-turbine_2").iterdir()
    }
    assert written.keys() == FILES
    assert all(f"wind-turbine_2/{name}" in ran.out.replace("\\", "/") for name in FILES)
    assert ran.out.splitlines()[-1].startswith("next: cd wind-turbine_2 && edgegen train")
    assert 'name = "wind-turbine_2"' in written["edgegen.toml"] and "@" not in written["README.md"]
    compile(written["train.py"], "train.py", "exec")


def test_new_in_a_folder_that_is_empty_or_deep(edgegen: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for place in ("empty", "a folder/größer/deep"):
        assert edgegen("new", place, "--quiet").out == ""
        assert {file.name for file in (tmp_path / place).iterdir()} == FILES


def test_new_writes_over_nothing(edgegen: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "notes").write_text("mine", encoding="utf-8")
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    before = everything(tmp_path)
    for name in ("used", "file"):
        assert "is there already and not an empty folder" in edgegen.fails(USAGE, "new", name)
    assert "cannot make the folder" in edgegen.fails(USAGE, "new", "file/inside")
    for name in ("2fast", "größe", "a b", "-x."):
        assert "is no name for a project" in edgegen.fails(USAGE, "new", "--", name)
    assert everything(tmp_path) == before


def test_building_before_training_says_what_to_do(edgegen: CommandLine) -> None:
    edgegen("new", "demo")
    message = edgegen.fails(USAGE, "build", "demo")
    assert "weights.safetensors: `edgegen train` writes them" in message


def test_a_trained_project_builds_and_is_proven(
    trained: Path, edgegen: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert {path.name for path in trained.iterdir()} - FILES <= {"weights.safetensors", "runs", "__pycache__"}
    shutil.copytree(trained, tmp_path / "demo")
    monkeypatch.chdir(tmp_path / "demo")
    assert edgegen("build", "--target", "cortex-m4").status == 0
    ran = edgegen("verify", "--vectors", "20")
    assert ran.status == 0 and "all equal" in ran.out
    assert json.loads(edgegen("record", "show", "runs/1", "--json").out)["status"] == "complete"
    assert edgegen("record", "check", "runs/1", "val/accuracy >= 0.4").status == 0


def test_the_same_seed_gives_the_same_weights(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "demo")
    for seed, same in (("0", True), ("1", False)):
        output = tmp_path / f"{seed}.safetensors"
        command = [sys.executable, "-m", "edgegen", "train", "--epochs", "2", "--output", str(output)]
        subprocess.run([*command, "--seed", seed, "-q"], cwd=tmp_path / "demo", check=True, timeout=60)
        assert (output.read_bytes() == (trained / "weights.safetensors").read_bytes()) is same
    assert sorted(path.name for path in (tmp_path / "demo" / "runs").iterdir()) == ["1", "2", "3"]


@pytest.mark.skipif(os.name == "nt", reason="signals of another process are not the same there")
def test_ctrl_c_and_resume_give_the_same_weights(trained: Path, tmp_path: Path) -> None:
    """The whole group of processes is interrupted, as by a terminal, in each of two epochs."""
    demo = tmp_path / "demo"
    shutil.copytree(trained, demo, ignore=shutil.ignore_patterns("runs", "weights*", "__pycache__"))
    recipe_file = demo / "train.py"
    source = recipe_file.read_text(encoding="utf-8")
    watched = source.replace("callbacks=[recorder]", "callbacks=[recorder, Interrupt()]").replace(
        "def train(",
        "import signal\nfrom edgegen.frontend import Callback\n\n"
        "class Interrupt(Callback):\n"
        "    def on_step_end(self, trainer, step):\n"
        "        if step.batch == 7 and trainer.resumed is None or step.batch == 20 and step.epoch == 2:\n"
        "            os.killpg(0, signal.SIGINT)\n\n"
        "def train(",
    )
    recipe_file.write_text(watched, encoding="utf-8")
    command = [sys.executable, "-m", "edgegen", "train", "--epochs", "2"]
    for arguments, epoch in (([], 1), (["--resume"], 2)):
        done = subprocess.run(
            [*command, *arguments],
            cwd=demo,
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
            timeout=60,
        )
        assert done.returncode == INTERRUPTED, done.stderr
        assert f"interrupted in epoch {epoch}; resume from" in done.stderr and "Traceback" not in done.stderr
        assert not (demo / "weights.safetensors").exists()
        record = json.loads((demo / "runs" / "1" / "run.json").read_text(encoding="utf-8"))
        assert record["status"] == "interrupted"
    recipe_file.write_text(source, encoding="utf-8")
    subprocess.run([*command, "--resume", "-q"], cwd=demo, check=True, timeout=60)
    assert (demo / "weights.safetensors").read_bytes() == (trained / "weights.safetensors").read_bytes()
    assert [path.name for path in (demo / "runs").iterdir()] == ["1"]


# The recipe ---------------------------------------------------------------------------------------------


def ended(tmp_path: Path, train: object, *arguments: str) -> int:
    with pytest.raises(SystemExit) as caught:
        recipe(train, epochs=7, file=str(tmp_path / "train.py"), arguments=list(arguments))  # type: ignore[arg-type]
    status = caught.value.code
    assert isinstance(status, int)
    return status


def test_the_options_of_a_recipe(tmp_path: Path) -> None:
    seen: list[Options] = []
    assert ended(tmp_path, seen.append) == 0
    assert ended(tmp_path, seen.append, "--seed", "3", "--epochs", "2", "--output", "w", "--resume") == 0
    assert ended(tmp_path, seen.append, "--runs", "r") == 0
    weights, runs = tmp_path / "weights.safetensors", tmp_path / "runs"
    assert seen == [Options(0, 7, weights, runs, False), Options(3, 2, Path("w"), runs, True), ANY]
    assert seen[2].runs == Path("r")


def test_errors_of_a_recipe_are_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def failing(error: BaseException) -> object:
        def train(options: Options) -> None:
            raise error

        return train

    assert ended(tmp_path, failing(ModelError("no data"))) == MODEL
    assert capsys.readouterr().err == "error: no data\n"
    assert ended(tmp_path, failing(KeyboardInterrupt())) == INTERRUPTED
    assert capsys.readouterr().err == ""
    with pytest.raises(ZeroDivisionError):
        recipe(failing(ZeroDivisionError()), epochs=1, file="train.py", arguments=[])  # type: ignore[arg-type]


def test_folders_of_runs(tmp_path: Path) -> None:
    options = [Options(0, 1, Path(), tmp_path / "runs", resume) for resume in (False, True)]
    assert options[0].run_folder() == tmp_path / "runs" / "1"
    with pytest.raises(UsageError, match=r"there is no run in .* to resume"):
        options[1].run_folder()
    for name in ("2", "10", "notes"):
        (tmp_path / "runs" / name).mkdir(parents=True)
    assert [o.run_folder().name for o in options] == ["11", "10"]


@pytest.mark.parametrize(
    ("code", "status", "text"),
    [
        ("raise SystemExit(3)", 3, ""),
        ("1 / 0", 5, "train.py ended with status 1"),
        ("raise SystemExit(9)", 5, "train.py ended with status 9"),
        ("raise SystemExit(130)", 130, "interrupted"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGINT)", 130, "interrupted"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", 5, "train.py ended with status -15"),
    ],
)
@pytest.mark.parametrize("quiet", [True, False])
def test_how_a_recipe_ends(
    code: str, status: int, text: str, quiet: bool, edgegen: CommandLine, tmp_path: Path
) -> None:
    if os.name == "nt" and "os.kill" in code:
        pytest.skip("a process that ends another is told apart only elsewhere")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "train.py").write_text(code, encoding="utf-8")
    ran = edgegen("train", "mine", *(["--quiet"] if quiet else []))
    assert ran.status == status and text in ran.err and "defect" not in ran.err


def test_the_example_is_trained_away_from_the_package(edgegen: CommandLine, tmp_path: Path) -> None:
    ran = edgegen("train", "--epochs", "1", "--quiet")
    assert (ran.status, ran.out, ran.err) == (0, "", "")
    assert {path.name for path in tmp_path.iterdir()} == {"runs", "weights.safetensors"}
    assert not (Path(package.__file__).parent / "examples" / "mnist" / "runs").exists()
    assert json.loads(edgegen("record", "show", "runs/1", "--json").out)["name"] == "mnist"


def test_where_the_weights_go(edgegen: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys; open('arguments', 'w').write(str(sys.argv[1:]))")
    config = '[model]\nname = "n"\nsource = "model.py"\ninput_shape = [1]\nweights = "w/x.safetensors"\n'
    (tmp_path / "edgegen.toml").write_text(config + '[data]\nsource = "data.py"\n', encoding="utf-8")
    ran = edgegen("train", "--seed", "4")
    assert (ran.status, ran.err) == (0, "model: edgegen.toml\n")
    assert ran.out.replace("\\", "/") == "weights: w/x.safetensors\n"
    arguments = (tmp_path / "arguments").read_text().replace("\\\\", "/")
    assert arguments == "['--seed', '4', '--output', 'w/x.safetensors']"
    edgegen("train", "--output", "y", "--epochs", "2", "--resume")
    arguments = (tmp_path / "arguments").read_text()
    assert arguments == "['--seed', '0', '--output', 'y', '--epochs', '2', '--resume']"
