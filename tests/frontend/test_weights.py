"""Weights on disk: round trips, every type, and files that are broken in every way."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from edgegen.errors import EdgegenError, ModelError, UsageError
from edgegen.frontend import nn, weights


def linear(seed: int = 0) -> nn.Linear:
    return nn.Linear(2, 3, rng=np.random.default_rng(seed))


def raw(path: Path, tensors: dict[str, tuple[str, list[int], bytes]], **changes: object) -> Path:
    """A safetensors file put together by hand."""
    header, body = {}, b""
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    for name, offsets in changes.items():
        header[name]["data_offsets"] = offsets
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)
    return path


def test_a_module_comes_back_exactly(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    first, second = linear(1), linear(2)
    weights.save(path, first, metadata={"seed": "1"})
    weights.load(path, second)
    assert (second.weight.data == first.weight.data).all()


def test_the_same_weights_give_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        weights.save(tmp_path / name, linear(1))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@given(
    st.dictionaries(
        st.text(min_size=1).filter(lambda s: s != "__metadata__" and s.isprintable()),
        arrays.arrays(np.float32, arrays.array_shapes(min_dims=0, min_side=0)),
    )
)
def test_any_arrays_come_back(tmp_path_factory: pytest.TempPathFactory, state: dict[str, np.ndarray]) -> None:
    path = tmp_path_factory.mktemp("w") / "any.safetensors"
    weights.save(path, state)
    found = weights.read(path)
    assert sorted(found) == sorted(state)
    for name, array in state.items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].shape == array.shape and found[name].dtype == array.dtype


def test_arrays_that_are_not_in_c_order(tmp_path: Path) -> None:
    array = np.arange(6, dtype=np.float32).reshape(2, 3).T
    weights.save(tmp_path / "t", {"t": array})
    np.testing.assert_array_equal(weights.read(tmp_path / "t")["t"], array)


def test_spaces_and_other_alphabets_in_paths(tmp_path: Path) -> None:
    path = tmp_path / "a folder" / "Gewichte für 数字 ✓.safetensors"
    path.parent.mkdir()
    weights.save(path, linear())
    weights.load(str(path), linear(3))


def test_half_types_load_as_float32(tmp_path: Path) -> None:
    values = np.array([1.0, -2.5, 0.15625, 65504, 0, -0.0], np.float32)
    # The upper half of a float32 is its bfloat16; these values but 65504 are exact in it.
    upper = (values.view(np.uint32) >> 16).astype("<u2").tobytes()
    path = raw(
        tmp_path / "half",
        {"f16": ("F16", [2, 3], values.astype("<f2").tobytes()), "bf16": ("BF16", [3, 2], upper)},
    )
    found = weights.read(path)
    assert found["f16"].dtype == found["bf16"].dtype == np.float32
    np.testing.assert_array_equal(found["f16"], values.reshape(2, 3))
    expected = np.where(values == 65504, 65280, values).astype(np.float32)
    np.testing.assert_array_equal(found["bf16"], expected.reshape(3, 2))


@pytest.mark.parametrize(("kind", "dtype"), [("F64", "<f8"), ("I64", "<i8"), ("I8", "i1"), ("BOOL", "?")])
def test_types_that_are_not_half_are_mis_typed(tmp_path: Path, kind: str, dtype: str) -> None:
    weight, bias = np.zeros((3, 2), dtype), np.zeros(3, np.float32)
    path = raw(
        tmp_path / "w", {"weight": (kind, [3, 2], weight.tobytes()), "bias": ("F32", [3], bias.tobytes())}
    )
    expected = np.dtype(dtype).newbyteorder("=")
    with pytest.raises(ModelError, match=f"mis-typed 'weight': takes float32, got {expected}"):
        weights.load(path, linear())


def test_a_type_without_a_numpy_form_is_named(tmp_path: Path) -> None:
    path = raw(tmp_path / "w", {"weight": ("F8_E4M3", [4], bytes(4))})
    with pytest.raises(ModelError, match="'weight' is of type F8_E4M3; known are BF16, F64"):
        weights.read(path)


def test_nan_is_refused_unless_asked_for(tmp_path: Path) -> None:
    model = linear()
    model.weight.data[1, 0] = np.nan
    weights.save(tmp_path / "nan", model)
    with pytest.raises(
        ModelError, match=r"'weight' holds 1 NaN and 0 infinite of 6 values, the first at \(1, 0\)"
    ):
        weights.load(tmp_path / "nan", linear())
    weights.load(tmp_path / "nan", linear(), finite=False)


def broken(path: Path, kind: str) -> None:
    weights.save(path, linear())
    content = path.read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    header = content[8 : 8 + size]
    changed = {
        "empty": b"",
        "no header": content[:5],
        "cut header": content[: 8 + size // 2],
        "cut data": content[:-1],
        "more data": content + b"\0",
        "not JSON": content[:8] + b"}" * size + content[8 + size :],
        "not UTF-8": content[:8] + b"\xff" * size + content[8 + size :],
        "header of 2^60 bytes": struct.pack("<Q", 2**60) + content[8:],
        "header of 200 MB": struct.pack("<Q", 200_000_000) + content[8:],
        "a list": struct.pack("<Q", 2) + b"[]",
        "shape too large": content[:8] + header.replace(b"[3,2]", b"[9,2]") + content[8 + size :],
        "unknown type": content[:8] + header.replace(b"F32", b"Q32") + content[8 + size :],
        "another format": b"PK\x03\x04" + bytes(400),
    }
    path.write_bytes(changed[kind])


@pytest.mark.parametrize(
    "kind",
    [
        "empty", "no header", "cut header", "cut data", "more data", "not JSON", "not UTF-8", "a list",
        "header of 2^60 bytes", "header of 200 MB", "shape too large", "unknown type", "another format",
    ],
)  # fmt: skip
def test_broken_files_give_one_message_with_their_name(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "broken.safetensors"
    broken(path, kind)
    with pytest.raises(ModelError, match=r"broken\.safetensors: not a sound safetensors file"):
        weights.load(path, linear())


@pytest.mark.parametrize("offsets", [[0, 8], [4, 28], [0, 2**40], [24, 0], [-1, 23]])
def test_lying_offsets(tmp_path: Path, offsets: list[int]) -> None:
    tensors = {"weight": ("F32", [3, 2], bytes(24)), "bias": ("F32", [3], bytes(12))}
    path = raw(tmp_path / "liar", tensors, weight=offsets)
    with pytest.raises(ModelError, match="liar: not a sound safetensors file"):
        weights.read(path)


@given(st.data())
def test_no_changed_byte_gives_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("w") / "w"
    weights.save(path, linear())
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    try:
        weights.load(path, linear())
    except EdgegenError as error:
        assert str(path) in str(error)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the weights .*none"):
        weights.read(tmp_path / "none")
    with pytest.raises(UsageError, match="cannot read the weights"):
        weights.read(tmp_path)
    with pytest.raises(UsageError, match="cannot write the weights to"):
        weights.save(tmp_path / "no folder" / "w", linear())
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match="cannot write the weights to"):
        weights.save(tmp_path / "file" / "w", linear())


def test_a_failed_save_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "taken"
    path.mkdir()
    with pytest.raises(UsageError, match="cannot write the weights"):
        weights.save(path, linear())
    assert [p.name for p in tmp_path.iterdir()] == ["taken"]


def test_saving_replaces_a_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "w"
    path.write_bytes(b"old")
    weights.save(path, linear())
    weights.load(path, linear(1))
    assert [p.name for p in tmp_path.iterdir()] == ["w"]
    (tmp_path / "plain").write_bytes(b"")
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
