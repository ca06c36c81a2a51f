"""How good a quantised model is: accuracy in float and int8, and every layer's loss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from edgegen.codegen.float_run import run_float
from edgegen.codegen.graph import Array
from edgegen.codegen.python_model import load_data, read_python_model
from edgegen.codegen.quantization.quantize import QuantizedModel
from edgegen.codegen.reference import Reference
from edgegen.codegen.source import ModelSource, load_source, quantized_samples
from edgegen.errors import UsageError

LAYER_SAMPLES = 200
"""Samples whose every layer is compared."""


@dataclass(frozen=True)
class LayerLoss:
    """Range seen in float, quantisation, signal to quantisation noise in dB, share of saturated elements."""

    layer: str
    op: str
    low: float
    high: float
    scale: float
    zero_point: int
    sqnr_db: float
    saturated: float


@dataclass(frozen=True)
class EvaluationReport:
    """Accuracies are shares of 1; `notes` say what the quantiser had to do."""

    name: str
    samples: int
    float_accuracy: float
    int8_accuracy: float
    layers: tuple[LayerLoss, ...]
    notes: tuple[str, ...]

    @property
    def headings(self) -> Sequence[str]:
        return ["layer", "operator", "low", "high", "scale", "zero point", "SQNR dB", "saturated"]

    @property
    def rows(self) -> Sequence[Sequence[object]]:
        return [
            [
                layer.layer,
                layer.op,
                f"{layer.low:.3f}",
                f"{layer.high:.3f}",
                f"{layer.scale:.5f}",
                layer.zero_point,
                f"{layer.sqnr_db:.1f}",
                f"{layer.saturated:.2%}",
            ]
            for layer in self.layers
        ]

    def document(self) -> dict[str, Any]:
        return asdict(self)


def evaluate_python_model(source: ModelSource) -> EvaluationReport:
    """Accuracy on the model's evaluation set and the report of every layer."""
    loaded = load_source(source)
    model = loaded.report
    if not isinstance(model, QuantizedModel) or loaded.inputs is None or loaded.labels is None:
        raise UsageError(f"{source.described} has no evaluation() in its data")
    samples, labels = load_data(read_python_model(source), "evaluation")
    images = np.asarray(samples, np.float32)[:, np.newaxis]
    float_scores = run_float(model.float_graph, [images])[model.float_graph.outputs[0]]
    int8_scores = Reference(model.graph).run([loaded.inputs.reshape(images.shape)]).outputs[0]
    return EvaluationReport(
        name=loaded.name,
        samples=len(labels),
        float_accuracy=_accuracy(float_scores, labels),
        int8_accuracy=_accuracy(int8_scores, labels),
        layers=tuple(layer_losses(model, images[:LAYER_SAMPLES])),
        notes=model.notes,
    )


def layer_losses(model: QuantizedModel, samples: Array) -> list[LayerLoss]:
    """Every layer's float output against the dequantised int8 one, over samples (V, *shape) of one input."""
    graph = model.graph
    q = graph.input_tensors()[0].quantization
    assert q is not None
    given = quantized_samples(samples, scale=q.scale, zero_point=q.zero_point)
    integers = Reference(graph).run([given], keep=True).tensors
    floats = run_float(model.float_graph, [samples])
    losses = []
    for node in graph.nodes:
        name = node.outputs[0]
        quantization = graph.tensors[name].quantization
        if quantization is None or name not in floats:
            continue
        real = (integers[name].astype(np.float64) - quantization.zero_point) * quantization.scale
        low, high = model.ranges.get(name, (0.0, 0.0))
        losses.append(
            LayerLoss(
                layer=node.name,
                op=node.op,
                low=low,
                high=high,
                scale=quantization.scale,
                zero_point=quantization.zero_point,
                sqnr_db=_sqnr(floats[name].astype(np.float64), real),
                saturated=float(np.isin(integers[name], (-128, 127)).mean()),
            )
        )
    return losses


def _sqnr(signal: Array, quantized: Array) -> float:
    noise = float(np.square(signal - quantized).sum())
    power = float(np.square(signal).sum())
    if noise == 0.0:
        return float("inf")
    return 10.0 * float(np.log10(max(power, 1e-30) / noise))


def _accuracy(scores: Array, labels: Array) -> float:
    return float((scores.reshape(len(labels), -1).argmax(axis=1) == np.asarray(labels)).mean())
