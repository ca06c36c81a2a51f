"""Modules: what they find, how they print, and that their weights load strictly."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.errors import ModelError
from edgegen.frontend import Parameter, Tensor, gradcheck, nn, tape


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


class Branches(nn.Module):
    """Parameters and modules in attributes, lists, tuples and dicts, one of them shared."""

    def __init__(self) -> None:
        self.scale = Parameter(np.ones(2, np.float32))
        self.blocks = [nn.Linear(2, 2, rng=rng()), nn.Linear(2, 2, bias=False, rng=rng())]
        self.heads = {"a": nn.Linear(2, 3, rng=rng()), "norm": nn.BatchNorm2d(2)}
        self.pair = (self.blocks[0], [Parameter(np.zeros((), np.float32))])
        self.tied = self.scale

    def forward(self, x: Tensor) -> Tensor:
        return self.blocks[1](self.blocks[0](x) * self.scale)


def test_parameters_are_found_by_attribute_once() -> None:
    assert list(dict(Branches().named_parameters())) == [
        "scale",
        "pair.1.0",
        "blocks.0.weight",
        "blocks.0.bias",
        "blocks.1.weight",
        "heads.a.weight",
        "heads.a.bias",
        "heads.norm.gamma",
        "heads.norm.beta",
    ]
    assert list(dict(Branches().named_buffers())) == ["heads.norm.running_mean", "heads.norm.running_var"]
    assert [name for name, _ in Branches().named_modules()] == [
        "", "blocks.0", "blocks.1", "heads.a", "heads.norm",
    ]  # fmt: skip


def test_records_know_the_module_that_made_them() -> None:
    y = Branches()(np.ones((1, 2), np.float32))
    assert [(r.op, r.module) for r in tape(y)] == [
        ("fully_connected", "blocks.0"),
        ("mul", ""),
        ("fully_connected", "blocks.1"),
    ]


def test_the_printed_tree_shows_shapes_and_counts() -> None:
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, stride=2, padding="same", rng=rng()),
        nn.Residual(nn.Sequential(nn.BatchNorm2d(8), nn.ReLU())),
        nn.GlobalAvgPool(),
    )
    assert repr(model).splitlines() == [
        "Sequential - 96 parameters",
        "  0: Conv2d(stride=(2, 2), padding=same) weight (8, 3, 3, 1), bias (8,) - 80 parameters",
        "  1: Residual - 16 parameters",
        "    body: Sequential - 16 parameters",
        "      0: BatchNorm2d(momentum=0.1, epsilon=1e-05) gamma (8,), beta (8,) - 16 parameters",
        "      1: ReLU",
        "    shortcut: Identity",
        "  2: GlobalAvgPool",
    ]


def test_a_network_of_all_layers_has_right_gradients() -> None:
    model = nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=((0, 1), (2, 0)), rng=rng()),
        nn.BatchNorm2d(4),
        nn.ReLU6(),
        nn.Residual(nn.Conv2d(4, 4, 3, padding="same", groups=4, rng=rng()), nn.Identity()),
        nn.AvgPool2d(2, stride=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16, 3, rng=rng()),
        nn.Softmax(),
    ).astype(np.float64)
    x = np.random.default_rng(1).standard_normal((2, 6, 5, 2))
    parameters = model.parameters()

    def run(image: Tensor, *values: Tensor) -> Tensor:
        # The checker's tensors stand in for the parameters.
        found = dict(zip(map(id, parameters), values, strict=True))
        for _, module in model.named_modules():
            for name, value in originals[id(module)].items():
                setattr(module, name, found.get(id(value), value))
        return model(image)

    originals = {id(m): dict(vars(m)) for _, m in model.named_modules()}
    gradcheck(run, x, *(p.data for p in parameters), tolerance=1e-5)


def test_batch_norm_follows_the_statistics_in_training_and_uses_them_after() -> None:
    norm = nn.BatchNorm2d(2, momentum=0.5)
    x = np.random.default_rng(0).standard_normal((8, 2, 2, 2)).astype(np.float32) * 2 + 3
    norm(x)
    np.testing.assert_allclose(norm.running_mean.data, 0.5 * x.mean((0, 1, 2)), rtol=1e-5)
    np.testing.assert_allclose(norm.running_var.data, 0.5 + 0.5 * x.var((0, 1, 2), ddof=1), rtol=1e-5)
    before = norm.running_mean.data.copy()
    y = norm.eval()(x)
    assert (norm.running_mean.data == before).all()
    expected = (x - before) / np.sqrt(norm.running_var.data + 1e-5)
    np.testing.assert_allclose(y.data, expected, rtol=1e-4, atol=1e-5)
    assert norm.running_mean.dtype == norm.running_var.dtype == np.float32


def test_dropout_does_nothing_after_eval() -> None:
    layer = nn.Dropout(0.5, rng=rng())
    x = np.ones((4, 4), np.float32)
    assert 0 in layer(x).data
    assert (layer.eval()(x).data == 1).all()


def test_train_and_eval_reach_all_modules() -> None:
    model = nn.Sequential(nn.Residual(nn.Dropout(0.1, rng=rng())))
    assert all(not m.training for _, m in model.eval().named_modules())
    assert all(m.training for _, m in model.train().named_modules())


def test_initial_weights_come_from_the_generator_alone() -> None:
    np.random.seed(0)
    first = nn.Conv2d(3, 4, 3, rng=rng()).weight.data
    np.random.seed(1)
    assert (nn.Conv2d(3, 4, 3, rng=rng()).weight.data == first).all()
    assert first.dtype == np.float32
    assert np.abs(first).max() <= np.sqrt(6 / 27)


def test_state_dict_is_a_copy_and_loads_back() -> None:
    first, second = nn.Linear(2, 3, rng=rng()), nn.Linear(2, 3, rng=np.random.default_rng(9))
    state = first.state_dict()
    state["bias"] += 5
    assert (first.bias.data == 0).all()  # type: ignore[union-attr]
    second.load_state_dict(state)
    assert (second.weight.data == first.weight.data).all()
    state["bias"] += 1
    assert (second.bias.data == 5).all()  # type: ignore[union-attr]


def test_loading_lists_every_misfit_at_once_and_changes_nothing() -> None:
    model = nn.Sequential(
        stem=nn.Conv2d(3, 8, (5, 3), rng=rng()), norm=nn.BatchNorm2d(8), head=nn.Linear(8, 2, rng=rng())
    )
    before = model.state_dict()
    state = model.state_dict()
    state["stem.weigth"] = state.pop("stem.weight")
    state["norm.extra"] = np.zeros(7, np.float32)
    state["head.weight"] = state["head.weight"].T
    state["head.bias"] = state["head.bias"].astype(np.float64)
    state["norm.gamma"][3] = np.nan
    state["norm.beta"][1:3] = [np.inf, -np.inf]
    with pytest.raises(ModelError) as caught:
        model.load_state_dict(state, origin="w.safetensors")
    lines = str(caught.value).splitlines()
    assert lines[0] == "w.safetensors: the weights do not fit the model"
    assert lines[1:] == [
        "  - missing 'stem.weight' float32 (8, 5, 3, 3); the nearest surplus name is 'stem.weigth': "
        "rename it if it is meant",
        "  - surplus 'stem.weigth' float32 (8, 5, 3, 3): the model has no such tensor; "
        "the nearest name in the model is 'stem.weight'",
        "  - surplus 'norm.extra' float32 (7,): the model has no such tensor",
        "  - mis-shaped 'head.weight': takes (2, 8), got (8, 2); transposed by (1, 0) it would fit",
        "  - mis-typed 'head.bias': takes float32, got float64; convert it before saving",
        "  - 'norm.gamma' holds 1 NaN and 0 infinite of 8 values, the first at (3,)",
        "  - 'norm.beta' holds 0 NaN and 2 infinite of 8 values, the first at (1,)",
        "  - weights.load with rename={'stem.weigth': 'stem.weight'} would find 1 of the 1 missing tensors",
    ]
    assert all((model.state_dict()[name] == before[name]).all() for name in before)
    with pytest.raises(ModelError) as caught:
        model.load_state_dict(state, finite=False)
    assert "NaN" not in str(caught.value)


def test_the_order_of_axes_of_other_frameworks_is_suggested() -> None:
    conv = nn.Conv2d(3, 8, 5, rng=rng())
    state = {"weight": np.zeros((8, 3, 5, 5), np.float32), "bias": np.zeros(8, np.float32)}
    with pytest.raises(ModelError, match=r"transposed by \(0, 2, 3, 1\) it would fit"):
        conv.load_state_dict(state)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: nn.Conv2d(3, 8, 3, groups=2, rng=rng()), "3 inputs and 8 outputs do not split in 2 groups"),
        (lambda: nn.Linear(0, 2, rng=rng()), "inputs takes a positive number, got 0"),
        (lambda: nn.Sequential(forward=nn.ReLU()), "cannot be named 'forward'"),
        (lambda: nn.Module()(np.ones(2, np.float32)), "Module: has no forward"),
    ],
)
def test_misuse(make, message: str) -> None:
    with pytest.raises((ModelError, ValueError), match=message):
        make()
