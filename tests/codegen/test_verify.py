"""The proof: what holds is counted, and whatever was changed in a project is found and named."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from edgegen.codegen.project import MANIFEST, MODEL_FILE, VECTORS
from edgegen.codegen.verify import VerifySettings, open_project, proof_inputs, verify
from edgegen.errors import EdgegenError, MismatchError, UsageError
from edgegen.targets import list_targets
from tests.codegen.models import build_project, cnn, several_ports, stateful

SETTINGS = VerifySettings(vectors=24, timeout_s=20.0)
TARGETS = [target.name for target in list_targets()]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A built project of the small network for a target; made once."""
    folder = tmp_path_factory.mktemp("built")
    made: dict[str, Path] = {}

    def project(target: str) -> Path:
        if target not in made:
            made[target] = build_project(cnn(), folder, target, verify=False).folder
        return made[target]

    return project


@pytest.fixture
def spoilt(built: Callable[[str], Path]) -> Iterator[Callable[[str], Path]]:
    """Such a project for a test to spoil; afterwards its files are as they were, to compile little."""
    spoiled: dict[Path, dict[Path, bytes]] = {}

    def project(target: str) -> Path:
        folder = built(target)
        files = [file for file in folder.rglob("*") if file.is_file() and ".pio" not in file.parts]
        spoiled[folder] = {file: file.read_bytes() for file in files}
        return folder

    yield project
    for contents in spoiled.values():
        for file, content in contents.items():
            if not file.is_file() or file.read_bytes() != content:
                file.write_bytes(content)


def edit(file: Path, old: str, new: str) -> None:
    """Replace the first occurrence."""
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


def change_number(file: Path, array: str, position: int, by: int) -> None:
    """Change one element of a constant array of a weights file."""
    text = file.read_text(encoding="utf-8")
    start = text.index("{", text.index(f"{array}["))
    numbers = list(re.finditer(r"-?\d+", text[start : text.index("}", start)]))
    match = numbers[position]
    value = int(match[0]) + by
    file.write_text(
        text[: start + match.start()] + str(value) + text[start + match.end() :], encoding="utf-8"
    )


def refusal(folder: Path, settings: VerifySettings = SETTINGS) -> str:
    with pytest.raises(MismatchError) as caught:
        verify(folder, settings)
    return str(caught.value)


# What holds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", TARGETS)
def test_a_project_as_built(target: str, built: Callable[[str], Path]) -> None:
    report = verify(built(target), SETTINGS)
    assert report.vectors == 24
    assert report.bytes_compared == 24 * 5
    layers = 144 * 3 + 36 + 5 + 5 + 6 * 8
    assert report.layer_bytes_compared >= 24 * (layers + 5) + 8 * (layers + 8 + 5)
    assert report.edited == ()


def test_the_number_of_vectors_follows_the_size(built: Callable[[str], Path]) -> None:
    project = open_project(built("cortex-m4"))
    inputs = proof_inputs(project, None, seed=0)
    assert len(inputs[0]) == 200 + 16
    assert len(proof_inputs(project, 5, seed=0)[0]) == 5


def test_stateful_and_several_ports(tmp_path: Path) -> None:
    for graph in (stateful(), several_ports()):
        report = verify(build_project(graph, tmp_path, "cortex-a53", verify=False).folder, SETTINGS)
        assert report.vectors == 24


# What was changed --------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", TARGETS)
def test_one_weight(target: str, spoilt: Callable[[str], Path]) -> None:
    folder = spoilt(target)
    weights = folder / "lib" / "small_net" / "src" / "small_net_weights.c"
    array = re.findall(r"small_net_l1_weights|small_net_l1_\w+", weights.read_text(encoding="utf-8"))[0]
    change_number(weights, array, 7, 1)
    message = refusal(folder)
    assert "small_net_weights.c" in message
    assert "conv2d inner" in message or "conv2d 'inner'" in message


def test_one_weight_is_found_by_what_it_computes(spoilt: Callable[[str], Path]) -> None:
    folder = spoilt("host")
    change_number(folder / "lib" / "small_net" / "src" / "small_net_weights.c", "small_net_l1_weights", 7, 1)
    message = refusal(folder)
    assert re.search(
        r"first diverging layer: 1 conv2d 'inner' \(kernel conv2d\), in vector \d+: \d+ of 144 elements "
        r"differ, the first is element \d+: expected -?\d+, got -?\d+",
        message,
    )
    assert "changed since edgegen wrote it: lib/small_net/src/small_net_weights.c" in message
    assert re.search(r"small_net_weights.c line \d+ \(conv2d inner: weights\): expected -?\d+, got", message)


def test_one_shift(spoilt: Callable[[str], Path]) -> None:
    folder = spoilt("host")
    change_number(folder / "lib" / "small_net" / "src" / "small_net_weights.c", "small_net_l0_shift", 2, -1)
    assert "first diverging layer: 0 conv2d 'stem'" in refusal(folder)


def test_a_number_that_no_vector_shows(spoilt: Callable[[str], Path]) -> None:
    """e to the power of minus a lot: nothing differs, yet it is not this model's firmware."""
    folder = spoilt("host")
    source = folder / "lib" / "small_net" / "src" / "small_net_weights.c"
    table = re.search(r"small_net_l\d+_exponentials", source.read_text(encoding="utf-8"))
    assert table is not None
    change_number(source, table[0], -1, 1)
    message = refusal(folder)
    assert "no vector shows it, but numbers of the model were changed" in message
    assert "(softmax scores: exponentials): expected" in message


@pytest.mark.parametrize("target", ["host", "wasm32-wasi"])
def test_one_line_of_a_kernel(target: str, spoilt: Callable[[str], Path]) -> None:
    folder = spoilt(target)
    edit(folder / "lib" / "small_net" / "src" / "small_net_max_pool2d.c", "p->kernel_w", "1")
    message = refusal(folder)
    assert "max_pool2d 'pool'" in message
    assert "changed since edgegen wrote it: lib/small_net/src/small_net_max_pool2d.c" in message


def test_a_kernel_of_the_target_s_own(spoilt: Callable[[str], Path]) -> None:
    """Only the emulated image runs it: found there, layer by layer."""
    folder = spoilt("cortex-m4")
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    assert not manifest["portable"]
    source = folder / "lib" / "small_net" / "src" / "small_net.c"
    edit(source, ".output_offset = -3", ".output_offset = -4")
    message = refusal(folder)
    assert "cortex-m4 differs from the integer reference" in message
    assert "first diverging layer: " in message


@pytest.mark.parametrize(
    ("code", "words"),
    [("*(volatile int *)8 = 1;", "fault"), ("for (volatile int i = 1; i;) { }", "timeout: no end after 2 s")],
)
def test_host_c_that_does_not_end_well(code: str, words: str, spoilt: Callable[[str], Path]) -> None:
    """It runs in a process of its own, so that it cannot take edgegen with it."""
    folder = spoilt("host")
    kernel = folder / "lib" / "small_net" / "src" / "small_net_softmax.c"
    text = kernel.read_text(encoding="utf-8")
    at = text.index("{", text.index("void small_net_softmax(")) + 1
    kernel.write_text(f"{text[:at]}\n    {code}{text[at:]}", encoding="utf-8")
    message = refusal(folder, VerifySettings(vectors=8, timeout_s=2.0))
    assert "host C does not run to its end" in message
    assert words in message
    assert "changed since edgegen wrote it: lib/small_net/src/small_net_softmax.c" in message


def test_a_harmless_edit_is_judged_by_what_it_computes(spoilt: Callable[[str], Path]) -> None:
    folder = spoilt("host")
    kernel = folder / "lib" / "small_net" / "src" / "small_net_softmax.c"
    kernel.write_text(kernel.read_text(encoding="utf-8") + "\n/* looked at */\n", encoding="utf-8")
    assert verify(folder, SETTINGS).edited == ("lib/small_net/src/small_net_softmax.c",)


def test_a_harness_that_returns_something_else(spoilt: Callable[[str], Path]) -> None:
    folder = spoilt("host")
    edit(
        folder / "src" / "main.c",
        "    return harness_write(harness_output",
        "    harness_output[0] ^= 1;\n    return harness_write(harness_output",
    )
    message = refusal(folder)
    assert "differs from the integer reference in vector 0, byte 0" in message
    assert "its trace agrees" in message


def test_another_model_file(spoilt: Callable[[str], Path]) -> None:
    folder = spoilt("host")
    content = bytearray((folder / MODEL_FILE).read_bytes())
    content[-1] ^= 1
    (folder / MODEL_FILE).write_bytes(content)
    assert "is not the model that the project was built from" in refusal(folder)


def test_an_image_is_built_from_what_stands_there(spoilt: Callable[[str], Path]) -> None:
    """A stale or foreign image does not count."""
    folder = spoilt("host")
    for image in (folder / ".pio" / "build").glob("*/firmware*"):
        image.unlink()
    assert verify(folder, SETTINGS).vectors == 24


# What goes wrong while it runs -------------------------------------------------------------------------

STORE = "    harness_output[0] = 0; {}\n    return harness_write(harness_output"


@pytest.mark.parametrize(
    ("target", "code", "words"),
    [
        ("cortex-m4", "*(volatile int *)0x08000000 = 1;", "fault"),
        ("cortex-a53", "*(volatile int *)8 = 1;", "fault"),
        ("wasm32-wasi", "*(volatile int *)0x7ffffff0 = 1;", "fault"),
        ("cortex-m4", "for (volatile int i = 1; i;) { }", "timeout"),
        ("host", "for (volatile int i = 1; i;) { }", "timeout"),
        ("host", "harness_exit(0);", "truncated"),
        ("cortex-a53", "harness_exit(9);", "ended with status 9"),
    ],
)
def test_each_failure_has_its_own_words(
    target: str, code: str, words: str, spoilt: Callable[[str], Path]
) -> None:
    folder = spoilt(target)
    edit(folder / "src" / "main.c", "    return harness_write(harness_output", STORE.format(code))
    message = refusal(folder, VerifySettings(vectors=8, timeout_s=2.0))
    assert words in message
    assert target in message


# Bad input ---------------------------------------------------------------------------------------------


def test_no_project(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no project"):
        verify(tmp_path, SETTINGS)


@pytest.mark.parametrize("place", [MODEL_FILE, VECTORS])
def test_missing_files(place: Path, spoilt: Callable[[str], Path]) -> None:
    folder = spoilt("host")
    (folder / place).unlink()
    with pytest.raises(UsageError, match="build the project again"):
        verify(folder, SETTINGS)


def test_cut_vectors(spoilt: Callable[[str], Path]) -> None:
    folder = spoilt("host")
    (folder / VECTORS).write_bytes((folder / VECTORS).read_bytes()[:-1])
    with pytest.raises(UsageError, match="no whole number of vectors"):
        verify(folder, SETTINGS)


def test_an_unknown_emulator(built: Callable[[str], Path]) -> None:
    with pytest.raises(EdgegenError, match="unknown emulator"):
        verify(built("host"), VerifySettings(vectors=4, emulator="nonsense"))
