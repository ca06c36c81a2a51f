"""Freezing functions that move elements: the integer graph computes what the module computes."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.codegen.quantization.pipeline import quantize_module
from edgegen.frontend import Tensor, functional, nn
from tests.exactness import assert_exact, run_reference


class Moves(nn.Module):
    """Every kind of movement that the eager side has."""

    def forward(self, x: Tensor) -> Tensor:
        padded = functional.pad(x, [(0, 0), (1, 0), (0, 2)])
        turned = functional.transpose(padded, (0, 2, 1))
        doubled = functional.concat([turned, turned[:, ::-1]], axis=2)
        picked = doubled[:, 3::-2, 1:-1:2]
        return functional.reshape(functional.concat([picked, doubled[:, 0:2, 0:4]], axis=1), (1, -1))


def test_the_integer_graph_moves_the_same_elements() -> None:
    rng = np.random.default_rng(0)
    calibration = rng.uniform(-1, 1, (32, 4, 3)).astype(np.float32)
    module = Moves()
    graph = quantize_module(module, calibration, name="moves").graph
    assert_exact(graph, rng=rng)
    (x,) = graph.input_tensors()
    assert x.quantization is not None
    codes = rng.integers(-128, 128, (1, *x.shape)).astype(np.int8)
    real = (codes[0].astype(np.float32) - x.quantization.zero_point) * np.float32(x.quantization.scale)
    expected = module(Tensor(real)).numpy() / x.quantization.scale + x.quantization.zero_point
    np.testing.assert_allclose(run_reference(graph, [codes])[0][0], expected, atol=1e-3)


@pytest.mark.parametrize("index", [np.s_[:, 1], np.s_[:, -1, ::-1], np.s_[..., 2:0:-1], np.s_[:, :, 0]])
def test_indexing(index: object) -> None:
    class Indexed(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return x[index]  # type: ignore[index]

    rng = np.random.default_rng(1)
    graph = quantize_module(Indexed(), rng.uniform(-1, 1, (8, 4, 3)).astype(np.float32), name="index").graph
    assert_exact(graph, rng=rng)
    codes = np.arange(12, dtype=np.int8).reshape(1, 1, 4, 3)
    np.testing.assert_array_equal(run_reference(graph, [codes])[0][0], codes[0][index])  # type: ignore[index]
