"""Tensors: NumPy interoperation, operators, the tape and the way back."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from edgegen.errors import ModelError
from edgegen.frontend import Parameter, Tensor, backward_steps, no_grad, tape
from edgegen.frontend import functional as F  # noqa: N812


def test_python_floats_become_float32_and_arrays_keep_their_type() -> None:
    assert Tensor(1.5).dtype == np.float32
    assert Tensor([[1.5, 2]]).dtype == np.float32
    assert Tensor(np.zeros(2)).dtype == np.float64
    assert Tensor([1, 2]).dtype.kind == "i"


def test_numpy_shares_memory_both_ways() -> None:
    array = np.zeros(3, np.float32)
    tensor = Tensor(array)
    array[0] = 7
    assert tensor.tolist() == [7, 0, 0]
    assert np.shares_memory(np.asarray(tensor), array)
    assert np.shares_memory(tensor.numpy(), array)
    assert np.asarray(tensor, np.float64).dtype == np.float64
    assert not np.shares_memory(np.array(tensor), array)


def test_dlpack_shares_memory_both_ways() -> None:
    array = np.zeros((2, 3), np.float32)
    tensor = Tensor.from_dlpack(array)
    assert np.shares_memory(tensor.numpy(), array)
    assert np.shares_memory(np.from_dlpack(tensor), array)
    assert tensor.__dlpack_device__() == array.__dlpack_device__()
    assert isinstance(Parameter.from_dlpack(array), Parameter)
    with pytest.raises(ModelError, match="takes an array with DLPack in main memory, got a list"):
        Tensor.from_dlpack([1.0])


def test_torch_shares_memory_both_ways() -> None:
    torch = pytest.importorskip("torch")
    theirs = torch.zeros(3)
    ours = Tensor.from_dlpack(theirs)
    theirs[0] = 7
    assert ours.tolist() == [7, 0, 0]
    back = torch.from_dlpack(ours)
    theirs[1] = 5
    assert back.tolist() == [7, 5, 0]
    with pytest.raises(ModelError, match="detach it from its gradients"):
        Tensor.from_dlpack(torch.zeros(3, requires_grad=True))


def test_numpy_functions_do_not_swallow_the_tape() -> None:
    x = Tensor([1.0, 2], requires_grad=True)
    with pytest.raises(TypeError):
        np.exp(x)
    y = np.array([3.0, 4]) * x
    assert isinstance(y, Tensor) and y.requires_grad and y.dtype == np.float32


def test_operators_with_numbers_and_arrays_on_either_side() -> None:
    x = Tensor([1.0, 2, 4])
    assert (1 + x - 1).tolist() == [1, 2, 4]
    assert (2 * x / 2).tolist() == [1, 2, 4]
    assert (4 / x).tolist() == [4, 2, 1]
    assert (1 - x).tolist() == [0, -1, -3]
    assert (-(x**2)).tolist() == [-1, -4, -16]


def test_comparisons_are_elementwise_and_hashing_is_by_identity() -> None:
    x = Tensor([1.0, 2, 3])
    assert (x > 2).tolist() == [False, False, True]
    assert (x == 2).tolist() == [False, True, False]
    assert (x != x).tolist() == [False] * 3
    assert (x == None) is False  # noqa: E711
    assert len({x, Tensor([1.0, 2, 3])}) == 2


def test_indexing_and_iteration() -> None:
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert x[1, -1].item() == 5
    assert x[:, 1].tolist() == [1, 4]
    assert x[..., ::2].tolist() == [[0, 2], [3, 5]]
    assert [row.tolist() for row in x] == [[0, 1, 2], [3, 4, 5]]
    assert len(x) == 2 and x.argmax(1).tolist() == [2, 2]
    assert [10, 20, 30][x.argmax(1)[0]] == 30


def test_the_tape_lists_operations_in_order_with_their_lines() -> None:
    x, w = Tensor(np.ones((1, 2)), name="x"), Parameter(np.ones((3, 2)), name="w")
    y = F.relu(F.linear(x, w))
    z = (y + y).sum()
    found = tape(z)
    assert [r.op for r in found] == ["fully_connected", "relu", "add", "sum"]
    assert all(r.source.file == __file__ for r in found)
    assert found.records[1].source.text == "y = F.relu(F.linear(x, w))"
    lines = str(found).splitlines()
    assert lines[0].split() == ["#", "op", "inputs", "shape", "attributes", "module", "line"]
    assert lines[1].split()[:4] == ["%0", "fully_connected", "x", "w"]
    assert lines[3].split()[:4] == ["%2", "add", "%1", "%1"]


def test_attributes_are_those_of_the_code_generator_and_read_only() -> None:
    y = F.conv2d(
        Parameter(np.ones((1, 5, 5, 2))),
        Parameter(np.ones((2, 3, 3, 1))),
        groups=2,
        stride=(2, 1),
        padding="same",
    )
    assert y.record is not None
    assert dict(y.record.attrs) == {
        "stride": (2, 1),
        "dilation": (1, 1),
        "padding": ((1, 1), (1, 1)),
        "groups": 2,
    }
    with pytest.raises(TypeError):
        y.record.attrs["groups"] = 1  # type: ignore[index]


def test_stepping_backwards_shows_each_record_with_its_gradients() -> None:
    x = Parameter(np.array([1.0, -2]))
    steps = backward_steps(F.relu(x * 3).sum())
    first = next(steps)
    assert first.record.op == "sum" and first.input_gradients[0].tolist() == [1, 1]
    assert x.grad is None
    second = next(steps)
    assert second.record.op == "relu" and second.input_gradients[0].tolist() == [1, 0]
    third = next(steps)
    assert "mul" in str(third) and "test_tensor.py:" in str(third)
    assert next(steps, None) is None
    assert x.grad is not None and x.grad.tolist() == [3, 0]


def test_gradients_add_up_over_calls_and_do_not_share_memory() -> None:
    x, y = Parameter([1.0]), Parameter([2.0])
    z = (x + y).sum()
    z.backward()
    z.backward()
    assert x.grad is not None and y.grad is not None
    assert x.grad.tolist() == [2] and y.grad.tolist() == [2]
    x.grad += 1
    assert y.grad.tolist() == [2]


def test_a_leaf_is_its_own_gradient() -> None:
    x = Parameter([2.0])
    x.backward()
    assert x.grad is not None and x.grad.tolist() == [1]


def test_backward_refuses_what_has_no_gradient() -> None:
    with pytest.raises(ModelError, match="does not depend on anything that requires"):
        Tensor([1.0]).backward()
    with pytest.raises(ModelError, match=r"shape \(2,\) needs the gradient"):
        (Parameter([1.0, 2]) * 2).backward()
    with pytest.raises(ModelError, match=r"takes the shape \(2,\) of the tensor, got \(3,\)"):
        (Parameter([1.0, 2]) * 2).backward(np.ones(3))


def test_no_grad_records_nothing_and_ends_with_its_block() -> None:
    x = Parameter([1.0])
    with no_grad():
        assert (x * 2).record is None
        seen = []
        thread = threading.Thread(target=lambda: seen.append((x * 2).record))
        thread.start()
        thread.join()
    assert seen[0] is not None, "another thread is not affected"
    assert (x * 2).record is not None


def test_a_long_chain_does_not_recurse() -> None:
    x = Parameter([1.0])
    y = x * 1
    for _ in range(3000):
        y = y + 0
    y.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [1]


def test_data_can_be_replaced_but_not_reshaped() -> None:
    x = Parameter([1.0, 2])
    x.data = np.array([3.0, 4])
    assert x.dtype == np.float32 and x.tolist() == [3, 4]
    with pytest.raises(ModelError, match=r"takes the shape \(2,\), got \(3,\)"):
        x.data = np.zeros(3)


def test_repr_shows_values_shape_and_origin() -> None:
    assert "shape=(2,), dtype=float32" in repr(Tensor([1.0, 2]))
    assert "from mul at " in repr(Parameter([1.0]) * 2)
