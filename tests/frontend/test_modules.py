"""More modules: gradients against numerical differences, int8 forms against TensorFlow Lite Micro."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from edgegen.codegen.quantization.pipeline import quantize_module
from edgegen.errors import ModelError
from edgegen.frontend import Tensor, gradcheck, nn
from edgegen.frontend import functional as F  # noqa: N812
from tests.exactness import assert_exact, run_reference

Make = Callable[[np.random.Generator], nn.Module]


class Function(nn.Module):
    """A function on tensors as a module."""

    def __init__(self, function: Callable[[Tensor], Tensor]) -> None:
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        return self.function(x)


def modules() -> dict[str, tuple[Make, tuple[int, ...]]]:
    """A module of each kind, and the shape of a sample."""
    image, sequence = (6, 6, 4), (7, 4)
    return {
        "leaky_relu": (lambda rng: nn.LeakyReLU(0.1), image),
        "prelu": (lambda rng: nn.PReLU(4), image),
        "elu": (lambda rng: nn.ELU(), image),
        "gelu": (lambda rng: nn.GELU(), image),
        "silu": (lambda rng: nn.SiLU(), image),
        "sigmoid": (lambda rng: nn.Sigmoid(), image),
        "tanh": (lambda rng: nn.Tanh(), image),
        "hard_swish": (lambda rng: nn.HardSwish(), image),
        "hard_sigmoid": (lambda rng: nn.HardSigmoid(), image),
        "upsample": (lambda rng: nn.Upsample(3), image),
        "upsample_bilinear": (lambda rng: nn.Upsample(2, kind="bilinear"), image),
        "upsample_bilinear_odd": (lambda rng: nn.Upsample(3, kind="bilinear"), (5, 1, 3)),
        "conv_transpose": (lambda rng: nn.ConvTranspose2d(4, 3, 3, stride=2, padding="same", rng=rng), image),
        "conv_transpose_valid": (lambda rng: nn.ConvTranspose2d(4, 3, (2, 3), stride=(1, 2), rng=rng), image),
        "layer_norm": (lambda rng: nn.LayerNorm(8), (8,)),
        "layer_norm_steps": (lambda rng: nn.LayerNorm(4), sequence),
        "rms_norm": (lambda rng: nn.RMSNorm(8), (8,)),
        "batch_norm_1d": (lambda rng: nn.Sequential(nn.Linear(8, 6, rng=rng), nn.BatchNorm1d(6)), (8,)),
        "batch_norm_steps": (lambda rng: nn.BatchNorm1d(4), sequence),
        "conv1d": (lambda rng: nn.Conv1d(4, 5, 3, padding="same", rng=rng), sequence),
        "conv1d_causal": (lambda rng: nn.Conv1d(4, 5, 3, padding="causal", dilation=2, rng=rng), sequence),
        "conv1d_depthwise": (lambda rng: nn.Conv1d(4, 4, 3, stride=2, groups=4, rng=rng), sequence),
        "lstm": (lambda rng: nn.LSTM(4, 6, rng=rng), sequence),
        "lstm_sequences": (lambda rng: nn.LSTM(4, 3, sequences=True, rng=rng), sequence),
        "gru": (lambda rng: nn.GRU(4, 6, rng=rng), sequence),
        "gru_sequences": (lambda rng: nn.GRU(4, 3, sequences=True, rng=rng), sequence),
        "pad": (lambda rng: Function(lambda x: F.pad(x, ((0, 0), (1, 0), (0, 2), (0, 0)))), image),
        "concat": (lambda rng: Function(lambda x: F.concat([x, F.relu(x)], axis=2)), image),
        "concat_tanh": (lambda rng: Function(lambda x: F.concat([x, F.tanh(x)], axis=2)), image),
        "concat_softmax": (lambda rng: Function(lambda x: F.concat([x, F.softmax(x), x], axis=2)), image),
        "concat_sigmoids": (lambda rng: Function(lambda x: F.concat([F.sigmoid(x), F.softmax(x)])), image),
        "mul": (lambda rng: Function(lambda x: x * F.sigmoid(x)), image),
        "matmul": (lambda rng: Function(lambda x: F.matmul(x, F.transpose(x, (0, 2, 1)))), sequence),
        "mean": (lambda rng: Function(lambda x: x.mean((1, 2))), image),
        "sum": (lambda rng: Function(lambda x: x.sum((1, 2), keepdims=True)), image),
        "reduce_max": (lambda rng: Function(lambda x: x.max(-1)), sequence),
        "attention": (lambda rng: nn.MultiHeadAttention(8, 2, rng=rng), (5, 8)),
    }


@pytest.mark.parametrize("name", modules())
def test_gradients(name: str) -> None:
    make, shape = modules()[name]
    rng = np.random.default_rng(0)
    module = make(rng)
    module.eval()
    for _, tensor in (*module.named_parameters(), *module.named_buffers()):
        tensor._data = np.abs(rng.normal(scale=0.5, size=tensor.shape))  # float64; variances are positive
    gradcheck(lambda x: module(x), rng.normal(size=(2, *shape)))


@pytest.mark.parametrize("name", sorted(modules().keys() - {"gelu"}))  # TFLM has no GELU
def test_int8_equals_tflm_and_is_close_to_float(name: str) -> None:
    make, shape = modules()[name]
    rng = np.random.default_rng(1)
    module = make(rng)
    module.eval()
    samples = rng.normal(size=(60, *shape)).astype(np.float32)
    model = quantize_module(module, samples, name=name)
    graph = model.graph
    given, taken = graph.input_tensors()[0].quantization, graph.output_tensors()[0].quantization
    assert given is not None and taken is not None
    codes = np.clip(np.round(samples / given.scale) + given.zero_point, -128, 127).astype(np.int8)
    inputs = [codes[:, np.newaxis]]
    assert_exact(graph, rng=rng, inputs=[inputs[0][:8]])
    (out,) = run_reference(graph, inputs)
    wanted = module(Tensor(samples)).numpy()
    got = (out.astype(np.float64) - taken.zero_point) * taken.scale
    noise = np.square(got.reshape(wanted.shape) - wanted).sum()
    assert 10 * np.log10(np.square(wanted).sum() / noise) > 20


def test_bilinear_pixels_are_areas() -> None:
    x = Tensor(np.array([0.0, 4.0, 8.0]).reshape(1, 1, 3, 1))
    y = F.upsample(x, 2, kind="bilinear").numpy()
    assert y[0, :, :, 0].tolist() == [[0, 1, 3, 5, 7, 8]] * 2


def test_causal_convolutions_see_no_later_step() -> None:
    rng = np.random.default_rng(2)
    layer = nn.Conv1d(3, 4, 3, padding="causal", dilation=2, rng=rng)
    x = rng.normal(size=(1, 9, 3)).astype(np.float32)
    later = x.copy()
    later[:, 5:] += 1
    assert np.array_equal(layer(Tensor(x)).numpy()[:, :5], layer(Tensor(later)).numpy()[:, :5])
    assert not np.array_equal(layer(Tensor(x)).numpy()[:, 5:], layer(Tensor(later)).numpy()[:, 5:])


@pytest.mark.parametrize(
    "loss",
    [
        lambda x: F.binary_cross_entropy(x, np.array([[0.0, 1.0, 0.25], [1.0, 0.0, 1.0]])),
        lambda x: F.l1(x, np.zeros((2, 3))),
        lambda x: F.huber(x, np.zeros((2, 3)), delta=0.7),
    ],
)
def test_losses(loss: Callable[[Tensor], Tensor]) -> None:
    gradcheck(loss, np.array([[0.3, -1.2, 2.0], [0.6, -0.4, 1.1]]))


def test_values_of_losses() -> None:
    x = Tensor(np.array([0.0, 3.0]))
    assert np.isclose(F.binary_cross_entropy(x, [1, 0]).numpy(), (np.log(2) + np.log1p(np.exp(3))) / 2)
    assert np.isclose(F.l1(x, [1, 1]).numpy(), 1.5)
    assert np.isclose(F.huber(x, [1, 1], delta=1.0).numpy(), (0.5 + 1.5) / 2)


def test_what_does_not_fit_is_named() -> None:
    rng = np.random.default_rng(3)
    with pytest.raises(ModelError, match="no multiple of 3 heads"):
        nn.MultiHeadAttention(8, 3, rng=rng)
    with pytest.raises(ModelError, match=r"LSTM takes \(N, T, C\)"):
        nn.LSTM(4, 2, rng=rng)(Tensor(np.zeros((2, 4), np.float32)))
    with pytest.raises(ModelError, match="kind takes nearest or bilinear, got 'cubic'"):
        nn.Upsample(2, kind="cubic")(Tensor(np.zeros((1, 2, 2, 1), np.float32)))
    with pytest.raises(ModelError, match="padding takes"):
        nn.Conv1d(4, 2, 3, padding="full", rng=rng)
    with pytest.raises(ModelError, match="delta takes a positive number"):
        F.huber(Tensor(np.zeros(2)), [0, 0], delta=0)
    with pytest.raises(ModelError, match="values from 0 to 1"):
        F.binary_cross_entropy(Tensor(np.zeros(2)), [2, 0])
