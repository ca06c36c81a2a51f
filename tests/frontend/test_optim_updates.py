"""Schedules, clipping, accumulation and averaged weights."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.errors import ModelError
from edgegen.frontend import Parameter, Tensor, functional, nn
from edgegen.frontend.optim import (
    SGD,
    Adam,
    MovingAverage,
    Optimizer,
    Schedule,
    Updater,
    clip_norm,
    clip_value,
    constant,
    cosine,
    one_cycle,
    step_decay,
    warm_up,
)

# Schedules ----------------------------------------------------------------------------------------------


def test_one_cycle() -> None:
    assert constant(0.7) == 1
    factor = one_cycle(warmup=0.25, start=0.1, end=0.01)
    assert factor(0) == pytest.approx(0.1)
    assert factor(0.125) == pytest.approx(0.55)
    assert factor(0.25) == pytest.approx(1)
    assert factor(1) == pytest.approx(0.01)
    rising = [factor(t) for t in np.linspace(0.25, 1, 50)]
    assert rising == sorted(rising, reverse=True)


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (step_decay((0.5, 0.75), factor=0.1), [1, 1, 0.1, 0.01, 0.01]),
        (step_decay(()), [1, 1, 1, 1, 1]),
        (cosine(), [1, 0.853553, 0.5, 0.146447, 0]),
        (cosine(end=0.2), [1, 0.882843, 0.6, 0.317157, 0.2]),
        (warm_up(fraction=0.5, start=0.2), [0.2, 0.6, 1, 1, 1]),
        (warm_up(cosine(), fraction=0.5), [0, 0.5, 1, 0.5, 0]),
    ],
)
def test_schedules_at_the_quarters(schedule: Schedule, expected: list[float]) -> None:
    assert [schedule(t) for t in (0, 0.25, 0.5, 0.75, 1)] == pytest.approx(expected, abs=1e-6)


def test_schedules_that_cannot_be() -> None:
    for milestones in ((0.5, 0.2), (0, 0.5), (1.0,)):
        with pytest.raises(ModelError, match="rising fractions between 0 and 1"):
            step_decay(milestones)
    with pytest.raises(ModelError, match="fraction takes a number between 0 and 1, got 0"):
        warm_up(fraction=0)


# Clipping -----------------------------------------------------------------------------------------------


def with_gradients(*gradients: list[float]) -> list[Parameter]:
    parameters = [Parameter(np.zeros(len(g), np.float32)) for g in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = np.array(gradient, np.float32)
    return parameters


def test_the_joint_norm_is_limited() -> None:
    parameters = [*with_gradients([3.0], [0, 4.0]), Parameter([1.0])]
    assert clip_norm(parameters, 10) == 5
    assert [p.grad.tolist() for p in parameters[:2] if p.grad is not None] == [[3], [0, 4]]
    assert clip_norm(parameters, 1) == 5
    np.testing.assert_allclose(parameters[0].grad, [0.6], rtol=1e-6)
    np.testing.assert_allclose(parameters[1].grad, [0, 0.8], rtol=1e-6)
    assert parameters[0].grad is not None and parameters[0].grad.dtype == np.float32
    assert parameters[2].grad is None


def test_values_are_limited() -> None:
    parameters = with_gradients([3.0, -0.5, -7])
    clip_value(parameters, 1)
    assert parameters[0].grad is not None
    assert parameters[0].grad.tolist() == [1, -0.5, -1]


def test_clipping_that_cannot_be() -> None:
    with pytest.raises(ModelError, match="norm of the gradients is inf"):
        clip_norm(with_gradients([np.inf]), 1)
    with pytest.raises(ModelError, match="clip_norm: limit takes a positive number, got 0"):
        clip_norm([], 0)
    with pytest.raises(ModelError, match="clip_value: limit takes a positive number"):
        clip_value([], -1)


# Accumulation -------------------------------------------------------------------------------------------

X = np.random.default_rng(0).standard_normal((24, 3)).astype(np.float32)
Y = np.random.default_rng(1).standard_normal((24, 2)).astype(np.float32)


def layer() -> nn.Linear:
    return nn.Linear(3, 2, rng=np.random.default_rng(2))


def losses(model: nn.Module, size: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(X[i : i + size], Y[i : i + size]) for i in range(0, len(X), size)]


def by_hand(optimizer: Optimizer, model: nn.Module, size: int, limit: float) -> None:
    for x, y in losses(model, size):
        optimizer.zero_grad()
        functional.mse(model(x), y).backward()
        clip_norm(model.parameters(), limit)
        optimizer.step()


@pytest.mark.parametrize("limit", [0.1, 100.0])
@pytest.mark.parametrize("accumulate", [2, 4])
def test_parts_do_what_the_whole_batch_does(limit: float, accumulate: int) -> None:
    whole, parts = layer(), layer()
    by_hand(SGD(whole.parameters(), lr=0.1, momentum=0.9), whole, 8, limit)
    optimizer = SGD(parts.parameters(), lr=0.1, momentum=0.9)
    updater = Updater(optimizer, accumulate=accumulate, clip_norm=limit)
    updated = [updater.backward(functional.mse(parts(x), y)) for x, y in losses(parts, 8 // accumulate)]
    assert updated == ([False] * (accumulate - 1) + [True]) * 3
    assert updater.updates == optimizer.steps == 3 and not updater.flush()
    for a, b in zip(whole.parameters(), parts.parameters(), strict=True):
        np.testing.assert_allclose(a.data, b.data, rtol=2e-6, atol=1e-7)


def test_without_accumulation_it_is_the_plain_loop_bit_for_bit() -> None:
    plain, updated = layer(), layer()
    by_hand(Adam(plain.parameters()), plain, 8, 0.5)
    updater = Updater(Adam(updated.parameters()), clip_norm=0.5)
    for x, y in losses(updated, 8):
        assert updater.backward(functional.mse(updated(x), y))
    assert all(
        a.data.tobytes() == b.data.tobytes()
        for a, b in zip(plain.parameters(), updated.parameters(), strict=True)
    )


def test_a_group_that_is_not_full_is_the_mean_of_what_it_has() -> None:
    whole, parts = layer(), layer()
    by_hand(SGD(whole.parameters(), lr=0.1), whole, 24, 100)
    updater = Updater(SGD(parts.parameters(), lr=0.1), accumulate=4, clip_value=100)
    for x, y in losses(parts, 8):
        assert not updater.backward(functional.mse(parts(x), y))
    assert updater.flush()
    for a, b in zip(whole.parameters(), parts.parameters(), strict=True):
        np.testing.assert_allclose(a.data, b.data, rtol=1e-6)


def test_frozen_parameters_do_not_count_in_the_norm() -> None:
    a, b = Parameter([1.0]), Parameter([100.0])
    optimizer = SGD([{"params": [a]}, {"params": [b], "frozen": True}], lr=1)
    updater = Updater(optimizer, clip_norm=10)
    updater.backward((a * a + b * b).sum())
    assert updater.norm == 2 and a.item() == -1


def test_the_schedule_counts_updates() -> None:
    model = layer()
    seen = []
    updater = Updater(
        SGD(model.parameters(), lr=0.1), accumulate=2, schedule=lambda progress: 1 - progress, total=3
    )
    for x, y in losses(model, 4):
        seen.append(updater.lr_factor)
        updater.backward(functional.mse(model(x), y))
    assert seen == pytest.approx([1, 1, 2 / 3, 2 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("stop", range(7))
def test_a_loaded_state_continues_bit_for_bit(stop: int) -> None:
    def made(model: nn.Module) -> Updater:
        average = MovingAverage(model, decay=0.9)
        return Updater(
            Adam(model.parameters()), accumulate=4, schedule=cosine(), total=2, clip_norm=0.5, average=average
        )

    def run(model: nn.Module, updater: Updater, first: int, last: int) -> None:
        for x, y in losses(model, 4)[first:last]:
            updater.backward(functional.mse(model(x), y))

    whole, broken, resumed = layer(), layer(), layer()
    reference, before, after = made(whole), made(broken), made(resumed)
    run(whole, reference, 0, 6)
    run(broken, before, 0, stop)
    assert before.average is not None and after.average is not None and reference.average is not None
    after.load_state_dict(before.state_dict())
    after.optimizer.load_state_dict(before.optimizer.state_dict())
    after.average.load_state_dict(before.average.state_dict())
    resumed.load_state_dict(broken.state_dict())
    run(resumed, after, stop, 6)
    for updater in (reference, after):
        updater.flush()
    assert whole.weight.data.tobytes() == resumed.weight.data.tobytes()
    for name, value in reference.average.values.items():
        assert value.tobytes() == after.average.values[name].tobytes()


def test_updates_that_cannot_be() -> None:
    optimizer = SGD([Parameter([1.0])], lr=1)
    with pytest.raises(ModelError, match="accumulate takes a positive number, got 0"):
        Updater(optimizer, accumulate=0)
    with pytest.raises(ModelError, match="a schedule needs the total number of updates, got None"):
        Updater(optimizer, schedule=cosine())
    with pytest.raises(ModelError, match="loss became nan in update 0; lower the learning rate"):
        Updater(optimizer).backward(Tensor(np.float32(np.nan)))
    with pytest.raises(ModelError, match=r"surplus 'gradient.1'"):
        state = Updater(optimizer).state_dict() | {"gradient.1": np.zeros(1, np.float32)}
        Updater(optimizer).load_state_dict(state)


# The moving average -------------------------------------------------------------------------------------


def test_the_average_moves_slowly_after_a_quick_start() -> None:
    model = layer()
    expected = np.array(model.bias.data) if model.bias is not None else np.zeros(2)
    average = MovingAverage(model, decay=0.3)
    assert model.bias is not None
    for update in range(1, 6):
        model.bias.data = np.full(2, update, np.float32)
        average.update()
        decay = min(0.3, (1 + update) / (10 + update))
        expected = decay * expected + (1 - decay) * update
    np.testing.assert_allclose(average.values["bias"], expected, rtol=1e-6)


def test_averaged_weights_for_a_block_or_for_good() -> None:
    model = layer()
    average = MovingAverage(model)
    start = np.array(model.weight.data)
    model.weight.data = start + 1
    with pytest.raises(KeyError), average.averaged():
        assert (model.weight.data == start).all()
        raise KeyError
    assert (model.weight.data == start + 1).all()
    average.copy_to_module()
    assert (model.weight.data == start).all()
    assert model.weight.data is not average.values["weight"]


def test_averages_that_cannot_be() -> None:
    with pytest.raises(ModelError, match="decay takes 0 <= d < 1, got 1"):
        MovingAverage(layer(), decay=1)
    average = MovingAverage(layer())
    with pytest.raises(ModelError, match=r"missing 'average.bias'"):
        average.load_state_dict({"updates": np.zeros((), np.int64)})
