"""Quantisation: what it decides, what it refuses, and that TFLM computes the same from its graphs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgegen.codegen.graph import DType
from edgegen.codegen.quantization.observers import OBSERVERS, by_percentile, minmax, mse
from edgegen.codegen.quantization.options import QuantizeOptions
from edgegen.codegen.quantization.pipeline import quantize_module
from edgegen.codegen.quantization.quantize import QuantizedModel
from edgegen.codegen.quantization.scales import activation_quantization
from edgegen.codegen.quantization.weights import LARGEST_BIAS
from edgegen.codegen.reference import Reference
from edgegen.errors import ModelError
from edgegen.frontend import nn
from tests.exactness import assert_exact, cases


def net(rng: np.random.Generator, *, channels: int = 4, classes: int = 3) -> nn.Sequential:
    return nn.Sequential(
        conv=nn.Conv2d(2, channels, 3, padding="same", rng=rng),
        norm=nn.BatchNorm2d(channels),
        relu=nn.ReLU6(),
        residual=nn.Residual(nn.Conv2d(channels, channels, 3, padding="same", groups=channels, rng=rng)),
        pool=nn.MaxPool2d(2),
        flatten=nn.Flatten(),
        head=nn.Linear(9 * channels, classes, rng=rng),
        softmax=nn.Softmax(),
    )


def samples(rng: np.random.Generator, count: int = 12) -> np.ndarray:
    return rng.normal(size=(count, 6, 6, 2)).astype(np.float32)


def quantized(module: nn.Module, data: np.ndarray, **options: object) -> QuantizedModel:
    return quantize_module(module, data, name="net", options=QuantizeOptions(**options))  # type: ignore[arg-type]


@cases(40)
@given(
    seed=st.integers(0, 2**32 - 1),
    channels=st.integers(1, 5),
    method=st.sampled_from(sorted(OBSERVERS)),
    per_channel=st.booleans(),
)
def test_quantised_nets_are_exact(seed: int, channels: int, method: str, per_channel: bool) -> None:
    rng = np.random.default_rng(seed)
    model = quantized(net(rng, channels=channels), samples(rng), method=method, per_channel=per_channel)
    assert_exact(model.graph, rng=rng)


def test_weights_are_symmetric_and_never_the_lowest_number() -> None:
    rng = np.random.default_rng(0)
    graph = quantized(net(rng), samples(rng)).graph
    weights = [t for t in graph.tensors.values() if t.name.endswith("weights/int8")]
    assert len(weights) == 3
    for tensor in weights:
        assert tensor.data is not None
        assert tensor.data.min() >= -127
        assert tensor.quantization is not None
        assert set(tensor.quantization.zero_points) == {0}
        assert tensor.quantization.per_channel


def test_per_tensor_weights_on_request() -> None:
    rng = np.random.default_rng(0)
    graph = quantized(net(rng), samples(rng), per_channel=False).graph
    weights = [t for t in graph.tensors.values() if t.name.endswith("weights/int8")]
    assert all(t.quantization is not None and not t.quantization.per_channel for t in weights)


def test_pooling_shares_its_inputs_scale_and_softmax_has_its_own() -> None:
    rng = np.random.default_rng(1)
    graph = quantized(net(rng), samples(rng)).graph
    by_op = {node.op: node for node in graph.nodes}
    pool = by_op["max_pool2d"]
    assert graph.tensors[pool.inputs[0] or ""].quantization == graph.tensors[pool.outputs[0]].quantization
    softmax = graph.output_tensors()[0].quantization
    assert softmax is not None
    assert (softmax.scale, softmax.zero_point) == (1 / 256, -128)
    assert graph.input_tensors()[0].dtype is DType.INT8


def test_a_dead_channel_gets_a_scale_and_a_note() -> None:
    rng = np.random.default_rng(2)
    module = net(rng)
    module.conv.weight.data[1] = 0.0
    model = quantized(module, samples(rng))
    assert any("1 of 4 output channels have no weights" in note for note in model.notes)
    assert_exact(model.graph, rng=rng)


def test_a_bias_that_does_not_fit_widens_the_weight_scale() -> None:
    rng = np.random.default_rng(3)
    module = net(rng)
    module.head.weight.data[0] = 1e-9
    module.head.bias.data[0] = 5.0
    model = quantized(module, samples(rng))
    bias = model.graph.tensors["head/bias/int32"].data
    assert bias is not None
    assert np.abs(bias.astype(np.int64)).max() <= LARGEST_BIAS
    assert any("was widened" in note for note in model.notes)
    assert_exact(model.graph, rng=rng)


def test_constant_activations_are_handled() -> None:
    rng = np.random.default_rng(4)
    module = net(rng)
    for array in (module.conv.weight.data, module.norm.gamma.data):
        array[...] = 0.0
    assert_exact(quantized(module, samples(rng)).graph, rng=rng)
    assert_exact(quantized(net(rng), np.zeros((3, 6, 6, 2), np.float32)).graph, rng=rng)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (np.zeros((0, 6, 6, 2), np.float32), "empty"),
        (np.full((3, 6, 6, 2), np.nan, np.float32), "NaN or infinite"),
        (np.zeros((3, 6, 6, 2), "U1"), "must be numbers|could not convert"),
    ],
)
def test_calibration_data_that_cannot_be_used(data: np.ndarray, message: str) -> None:
    with pytest.raises((ModelError, ValueError), match=message):
        quantized(net(np.random.default_rng(0)), data)


def test_weights_that_are_not_numbers_are_refused_by_name() -> None:
    module = net(np.random.default_rng(0))
    module.head.bias.data[1] = np.inf
    with pytest.raises(ModelError, match=r"head\.bias"):
        quantized(module, samples(np.random.default_rng(0)))


@given(low=st.floats(-1e6, 1e6), width=st.floats(0.0, 1e6))
def test_zero_always_has_a_number_of_its_own(low: float, width: float) -> None:
    q = activation_quantization(low, low + width)
    assert -128 <= q.zero_point <= 127
    assert q.scale == float(np.float32(q.scale)) > 0.0


def test_observers_cut_off_outliers_as_they_say() -> None:
    values = np.concatenate([np.random.default_rng(0).normal(size=100_000), [1000.0]])
    assert minmax(values, 99.99)[1] == 1000.0
    assert by_percentile(values, 99.9)[1] < 5.0
    low, high = mse(np.random.default_rng(0).standard_t(3, 50_000), 99.99)
    assert high - low < np.ptp(np.random.default_rng(0).standard_t(3, 50_000))


@pytest.mark.parametrize("options", [{"method": "best"}, {"percentile": 20.0}, {"per_channel": "yes"}])
def test_options_that_do_not_exist(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="takes"):
        QuantizeOptions(**options)  # type: ignore[arg-type]


def test_int8_follows_float_closely() -> None:
    rng = np.random.default_rng(7)
    module = net(rng)
    model = quantized(module, samples(rng, 64))
    from edgegen.codegen.evaluation import layer_losses

    losses = layer_losses(model, samples(rng, 32)[:, np.newaxis])
    assert min(loss.sqnr_db for loss in losses) > 15.0
    assert Reference(model.graph).run([np.zeros((1, 1, 6, 6, 2), np.int8)]).outputs[0].dtype == np.int8
