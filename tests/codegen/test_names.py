"""Names for C and for files."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.names import LONGEST, RESERVED, c_identifier, unique_identifiers


@given(st.text())
def test_any_name_becomes_an_identifier(name: str) -> None:
    made = c_identifier(name)
    assert re.fullmatch(r"[a-z][a-z0-9_]*", made)
    assert "__" not in made
    assert made not in RESERVED
    assert len(made) <= LONGEST + 2


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("kws", "kws"),
        ("ResNet-8 (int8)", "resnet_8_int8"),
        ("2nd", "m_2nd"),
        ("int", "m_int"),
        ("Class", "m_class"),
        ("stdint", "m_stdint"),
        ("con", "m_con"),
        ("harness_config", "m_harness_config"),
        ("Größe", "groe"),
        ("été", "ete"),
        ("模型", "model"),
        ("", "model"),
        ("../../etc/passwd", "etc_passwd"),
    ],
)
def test_names(name: str, expected: str) -> None:
    assert c_identifier(name) == expected


def test_long_names_stay_apart() -> None:
    a, b = c_identifier("x" * 100 + "a"), c_identifier("x" * 100 + "b")
    assert a != b
    assert len(a) == len(b) == LONGEST


@given(st.lists(st.text(alphabet="aB:/ 1", max_size=3), max_size=8))
def test_unique_identifiers(names: list[str]) -> None:
    made = unique_identifiers(names, fallback="x")
    assert len(set(made)) == len(made) == len(names)
