"""svdf: a dense layer of low rank over a window of time, its last results kept in a state.

Each filter's newest result enters the state; the outputs weigh the whole state in time. Source of the
definition: TFLM `svdf_common.cc`, with int16 states.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import quantize_multiplier, requantize, wrap32
from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, flat
from edgegen.codegen.ops.common import ACTIVATIONS, exact_matmul, fused_activation, kernel_bias, quantization

FEATURES, TIME, BIAS, STATE = 1, 2, 3, 4


@dataclass(frozen=True)
class SvdfAttributes(Attributes):
    rank: int = 1
    activation: str = "none"


@dataclass(frozen=True, eq=False)
class SvdfParams(Params):
    """Weights are (filters, features) and (filters, memory); there are units * rank filters."""

    feature_weights: Array
    time_weights: Array
    bias: Array | None
    batch: int
    features: int
    units: int
    rank: int
    memory: int
    input_offset: int
    state_multiplier: int
    state_shift: int
    output_multiplier: int
    output_shift: int
    output_offset: int


class Svdf(Operator):
    name = "svdf"
    attributes = SvdfAttributes
    tflite = "SVDF"
    tflite_options = "SVDFOptions"
    types = "int8 with an int16 state and int16 time weights"
    constraints = "weights constant"
    writes = (STATE,)

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, features, time, state = (view.input(position) for position in (0, FEATURES, TIME, STATE))
        rank = _attributes(view).rank
        shaped = len(x.shape) == 2 and len(features.shape) == 2 and len(time.shape) == 2
        if not shaped or rank < 1 or features.shape[0] % rank:
            raise view.error(
                f"takes an input (batch, features) and weights (filters, features), (filters, memory) with "
                f"filters a multiple of the rank {rank}, got {x.describe()}, {features.describe()}, "
                f"{time.describe()}"
            )
        if view.optional(BIAS) is None:
            raise view.error("has no bias, which TensorFlow Lite Micro needs; give it one of zeros")
        filters = features.shape[0]
        if features.shape[1] != x.shape[1] or time.shape[0] != filters:
            raise view.error(f"{features.describe()} and {time.describe()} do not fit {x.describe()}")
        if not state.state or state.size != x.shape[0] * filters * time.shape[1]:
            raise view.error(f"takes a state of batch, memory and filters, got {state.describe()}")
        return (TensorType((x.shape[0], filters // rank), x.dtype),)

    def prepare(self, view: NodeView) -> SvdfParams:
        x, features, time, state = (view.input(position) for position in (0, FEATURES, TIME, STATE))
        y, rank = view.outputs[0], _attributes(view).rank
        types = (x.dtype, features.dtype, time.dtype, state.dtype, y.dtype)
        if types != (DType.INT8, DType.INT8, DType.INT16, DType.INT16, DType.INT8):
            raise view.error(f"takes {self.types}, got {', '.join(dtype.value for dtype in types)}")
        scales = [quantization(view, t).scale for t in (x, features, time, state, y)]
        state_scale = quantize_multiplier(scales[0] * scales[1] / scales[3])
        output_scale = quantize_multiplier(scales[3] * scales[2] / scales[4])
        return SvdfParams(
            feature_weights=flat(view.constant(FEATURES, "the feature weights"), np.int8),
            time_weights=flat(view.constant(TIME, "the time weights"), np.int16),
            bias=kernel_bias(view, BIAS),
            batch=x.shape[0],
            features=x.shape[1],
            units=features.shape[0] // rank,
            rank=rank,
            memory=time.shape[1],
            input_offset=-quantization(view, x).zero_point,
            state_multiplier=state_scale[0],
            state_shift=state_scale[1],
            output_multiplier=output_scale[0],
            output_shift=output_scale[1],
            output_offset=quantization(view, y).zero_point,
        )

    def run_int(self, params: SvdfParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """One vector at a time goes through, since the state of one is the start of the next."""
        p = params
        x, state = inputs
        filters = p.units * p.rank
        memory = state.reshape(p.batch, filters, p.memory).astype(np.int64)
        weights = p.feature_weights.reshape(filters, p.features)
        in_time = p.time_weights.reshape(filters, p.memory).astype(np.int64)
        rows = []
        for vector in x.reshape(-1, p.batch, p.features).astype(np.int64):
            newest = requantize(
                exact_matmul(vector + p.input_offset, weights.T), p.state_multiplier, p.state_shift
            )
            memory = np.concatenate(
                [memory[:, :, 1:], np.clip(newest, -32768, 32767)[..., np.newaxis]], axis=2
            )
            sums = (memory * in_time).sum(axis=2).reshape(p.batch, p.units, p.rank).sum(axis=2)
            if p.bias is not None:
                sums = sums + p.bias.astype(np.int64)
            scaled = requantize(sums, p.output_multiplier, p.output_shift)
            rows.append(wrap32(scaled + p.output_offset))
        state[...] = memory.reshape(state.shape)
        return (np.clip(np.stack(rows), -128, 127).astype(np.int8),)

    def call(self, view: NodeView, params: SvdfParams) -> Call:
        return Call(kernel="svdf", params=params, inputs=(0, STATE))

    def macs(self, view: NodeView) -> int:
        return view.input(0).shape[0] * (view.input(FEATURES).size + view.input(TIME).size)

    def read_options(self, options: Any, view: NodeView) -> SvdfAttributes:
        return SvdfAttributes(
            rank=options.Rank(), activation=fused_activation(view, options.FusedActivationFunction())
        )

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        attributes = _attributes(view)
        return {
            "Rank": attributes.rank,
            "FusedActivationFunction": ACTIVATIONS.index(attributes.activation),
        }


OPERATOR = Svdf()


def _attributes(view: NodeView) -> SvdfAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, SvdfAttributes)
    return attributes
