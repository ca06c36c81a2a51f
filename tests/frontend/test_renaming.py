"""Weights under other names and in part: rules, suggestions, and what must be said to load less than all."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from edgegen.errors import ModelError
from edgegen.frontend import nn, weights
from edgegen.frontend.renaming import renamed, suggested


def state(*names: str, **shapes: tuple[int, ...]) -> dict[str, np.ndarray]:
    """Tensors of different shapes by their last part, numbered by position."""
    known = {"weight": (3, 2), "bias": (3,), "mean": (5,)}
    arrays = {n: np.full(known.get(n.rpartition(".")[2], (1,)), i, np.float32) for i, n in enumerate(names)}
    return {**arrays, **{n: np.zeros(s, np.float32) for n, s in shapes.items()}}


def network(*names: str) -> nn.Sequential:
    rng = np.random.default_rng(0)
    return nn.Sequential(**{name: nn.Linear(2, 2, rng=rng) for name in names})


def test_rules() -> None:
    given = state("conv1.weight", "conv1.bias", "fc.weight", "fc.bias")
    found = renamed(given, {"conv1.bias": "odd", "conv1.*": "stem.*", "*": "all.*"}, origin="f")
    assert list(found) == ["stem.weight", "odd", "all.fc.weight", "all.fc.bias"]
    assert found["stem.weight"] is given["conv1.weight"]
    assert renamed(given, {}, origin="f") == given


def test_rules_that_do_not_fit_are_listed_at_once() -> None:
    with pytest.raises(ModelError) as caught:
        renamed(state("a.x", "b.x"), {"a.*": "b.*", "c": "d", "b.x": "*"}, origin="file")
    for text in (
        "file: the tensors cannot be renamed",
        "the rule 'c' matches no tensor",
        "the rule 'b.x': '*' must end with * on both sides or on neither",
    ):
        assert text in str(caught.value)
    with pytest.raises(ModelError, match=re.escape("'a.x' and 'b.x' would both become 'b.x'")):
        renamed(state("a.x", "b.x"), {"a.*": "b.*"}, origin="file")


@pytest.mark.parametrize(
    ("expected", "found", "rules"),
    [
        (("stem.weight", "stem.bias"), ("conv1.weight", "conv1.bias"), {"conv1.*": "stem.*"}),
        (("net.a.weight", "net.b.bias"), ("a.weight", "b.bias"), {"*": "net.*"}),
        (("a.weight", "b.bias"), ("module.a.weight", "module.b.bias"), {"module.*": "*"}),
        (("norm.mean",), ("norm.running_mean",), {}),
        (("a.weight",), ("a.weight",), {}),
        (("a.weight", "b.weight"), ("a.weight", "c.weight"), {"c.*": "b.*"}),
    ],
)
def test_suggestions(expected: tuple[str, ...], found: tuple[str, ...], rules: dict[str, str]) -> None:
    assert suggested(state(*expected), state(*found)) == rules
    if rules:
        assert set(renamed(state(*found), rules, origin="f")) == set(expected)


def test_names_that_end_otherwise_are_suggested_one_by_one() -> None:
    expected = {"a.weight": np.zeros((4, 4)), "b.weight": np.zeros((5, 5))}
    found = {"a.weights": np.zeros((4, 4)), "b.weights": np.zeros((5, 5))}
    assert suggested(expected, found) == {"a.weights": "a.weight", "b.weights": "b.weight"}


def test_a_failed_load_says_which_rules_would_do(tmp_path: Path) -> None:
    path = tmp_path / "w"
    weights.save(path, network("conv", "fc"))
    model = network("stem", "fc")
    with pytest.raises(ModelError) as caught:
        weights.load(path, model)
    suggestion = "weights.load with rename={'conv.*': 'stem.*'} would find 2 of the 2 missing tensors"
    assert suggestion in str(caught.value)
    done = weights.load(path, model, rename={"conv.*": "stem.*"})
    assert done == weights.Loaded(tuple(model.state_dict()), (), ())
    assert (model.state_dict()["stem.weight"] == network("conv", "fc").state_dict()["conv.weight"]).all()


def test_a_part_is_loaded_when_it_is_said(tmp_path: Path) -> None:
    path = tmp_path / "w"
    weights.save(path, network("body", "old"))
    model = network("new", "body")
    before = model.state_dict()
    with pytest.raises(ModelError):
        weights.load(path, model)
    done = weights.load(path, model, keep=["new.*"], ignore=["old.weight", "old.bias"])
    assert done.loaded == ("body.weight", "body.bias")
    assert done.kept == ("new.weight", "new.bias") and done.ignored == ("old.bias", "old.weight")
    after = model.state_dict()
    assert (after["new.weight"] == before["new.weight"]).all()
    assert (after["body.weight"] == network("body", "old").state_dict()["body.weight"]).all()


def test_what_is_kept_may_have_another_shape_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "w"
    weights.save(path, network("body", "head"))
    model = network("body")
    model.head = nn.Linear(2, 7, rng=np.random.default_rng(1))
    done = weights.load(path, model, keep=["head.*"])
    assert done.kept == ("head.weight", "head.bias")


def test_exceptions_that_match_nothing_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w"
    weights.save(path, network("a"))
    model = network("a")
    before = model.state_dict()
    with pytest.raises(ModelError) as caught:
        weights.load(path, model, keep=["head.*"], ignore=["b.weight"])
    assert "keep 'head.*' matches no tensor of the model" in str(caught.value)
    assert "ignore 'b.weight' matches no tensor of the file" in str(caught.value)
    with pytest.raises(ModelError, match=r"missing 'a.weight'"):
        weights.load(path, model, ignore=["a.weight"])
    assert all((model.state_dict()[name] == before[name]).all() for name in before)
