"""unidirectional_sequence_lstm: a standard LSTM over a sequence, int8 activations with an int16 cell.

Gates are computed in Q3.12 and squashed to Q0.15; the cell's scale is a power of two. Hidden and cell state
are states of the graph and go on from call to call. Source of the definition: TFLM `lstm_eval.cc`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.arithmetic import Int64, quantize_multiplier, requantize, wrap32
from edgegen.codegen.fixed_functions import sigmoid_table
from edgegen.codegen.graph import Array, Attributes, DType, Tensor
from edgegen.codegen.ops import logistic, tanh
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType, flat, reference_only
from edgegen.codegen.ops.common import exact_matmul, quantization
from edgegen.codegen.ops.saturating_curves import CurveInt16Params

TANH = 4
"""Of `tflite.ActivationFunctionType`."""
INPUT_WEIGHTS, RECURRENT_WEIGHTS, BIASES = (1, 2, 3, 4), (5, 6, 7, 8), (12, 13, 14, 15)
"""Positions of the constants of the input, forget, cell and output gate."""
HIDDEN, CELL = 18, 19
UNSUPPORTED = {9: "peephole weights", 16: "a projection", 20: "layer normalisation"}
INPUTS = 24
GATE_SCALE = 2.0**-12
SQUASHED_SCALE = 2.0**-15


@dataclass(frozen=True)
class LstmAttributes(Attributes):
    """`cell_clip` 0 does not clip."""

    time_major: bool = False
    cell_clip: float = 0.0


@dataclass(frozen=True, eq=False)
class LstmParams(Params):
    """Constants of the input, forget, cell and output gate, in this order."""

    input_weights: Array
    recurrent_weights: Array
    bias: Array
    table: Array
    batch: int
    steps: int
    features: int
    units: int
    batch_stride: int
    step_stride: int
    input_offset: int
    hidden_offset: int
    input_multiplier: tuple[int, ...]
    input_shift: tuple[int, ...]
    recurrent_multiplier: tuple[int, ...]
    recurrent_shift: tuple[int, ...]
    forget_multiplier: int
    forget_shift: int
    update_multiplier: int
    update_shift: int
    hidden_multiplier: int
    hidden_shift: int
    tanh_multiplier: int
    tanh_shift: int
    cell_clip: int
    output_shape: tuple[int, ...] = reference_only()


class UnidirectionalSequenceLstm(Operator):
    name = "unidirectional_sequence_lstm"
    attributes = LstmAttributes
    tflite = "UNIDIRECTIONAL_SEQUENCE_LSTM"
    tflite_options = "UnidirectionalSequenceLSTMOptions"
    types = "int8 with an int16 cell"
    constraints = "all four gates; no peephole, projection or layer normalisation; tanh"
    writes = (HIDDEN, CELL)

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x, hidden = view.input(0), view.input(HIDDEN)
        found = [what for position, what in UNSUPPORTED.items() if view.optional(position) is not None]
        if found:
            raise view.error(f"takes a standard LSTM, got {' and '.join(found)}")
        if len(x.shape) != 3 or not hidden.shape:
            raise view.error(f"takes an input (batch, time, features), got {x.describe()}")
        self._check_shapes(view, x.shape[2], hidden.shape[-1])
        return (TensorType((*x.shape[:2], hidden.shape[-1]), x.dtype),)

    def _check_shapes(self, view: NodeView, features: int, units: int) -> None:
        wanted = dict.fromkeys(INPUT_WEIGHTS, (units, features)) | dict.fromkeys(
            RECURRENT_WEIGHTS, (units, units)
        )
        for position, shape in (wanted | dict.fromkeys(BIASES, (units,))).items():
            if view.input(position).shape != shape:
                raise view.error(
                    f"input {position} takes the shape {shape}, got {view.input(position).describe()}"
                )
        x, time_major = view.input(0), _attributes(view).time_major
        batch = x.shape[1] if time_major else x.shape[0]
        for position in (HIDDEN, CELL):
            state = view.input(position)
            if not state.state or state.size != batch * units:
                raise view.error(
                    f"input {position} takes a state of {batch * units} values, got {state.describe()}"
                )

    def prepare(self, view: NodeView) -> LstmParams:
        x, hidden, cell, y = view.input(0), view.input(HIDDEN), view.input(CELL), view.outputs[0]
        if (x.dtype, hidden.dtype, cell.dtype, y.dtype) != (DType.INT8, DType.INT8, DType.INT16, DType.INT8):
            raise view.error(
                f"takes int8 with an int16 cell, got {x.describe()}, {hidden.describe()}, {cell.describe()}"
            )
        qx, qh, qc = quantization(view, x), quantization(view, hidden), quantization(view, cell)
        power = round(float(np.log2(qc.scale)))
        from_input = [_gate(view, qx.scale, view.input(position)) for position in INPUT_WEIGHTS]
        from_hidden = [_gate(view, qh.scale, view.input(position)) for position in RECURRENT_WEIGHTS]
        forget = quantize_multiplier(SQUASHED_SCALE * qc.scale / qc.scale)
        update = quantize_multiplier(SQUASHED_SCALE * SQUASHED_SCALE / qc.scale)
        output = quantize_multiplier(SQUASHED_SCALE * SQUASHED_SCALE / qh.scale)
        tanh_shift = 15 + power - 3
        attributes = _attributes(view)
        batch_axis, step_axis = (1, 0) if attributes.time_major else (0, 1)
        clip = np.float64(np.float32(attributes.cell_clip)) / qc.scale
        return LstmParams(
            input_weights=_stacked(view, INPUT_WEIGHTS, np.int8),
            recurrent_weights=_stacked(view, RECURRENT_WEIGHTS, np.int8),
            bias=_stacked(view, BIASES, np.int32),
            table=sigmoid_table(),
            batch=x.shape[batch_axis],
            steps=x.shape[step_axis],
            features=x.shape[2],
            units=hidden.shape[-1],
            batch_stride=1 if attributes.time_major else x.shape[1],
            step_stride=x.shape[1] if attributes.time_major else 1,
            input_offset=-qx.zero_point,
            hidden_offset=-qh.zero_point,
            input_multiplier=tuple(multiplier for multiplier, _ in from_input),
            input_shift=tuple(shift for _, shift in from_input),
            recurrent_multiplier=tuple(multiplier for multiplier, _ in from_hidden),
            recurrent_shift=tuple(shift for _, shift in from_hidden),
            forget_multiplier=forget[0],
            forget_shift=forget[1],
            update_multiplier=update[0],
            update_shift=update[1],
            hidden_multiplier=output[0],
            hidden_shift=output[1],
            tanh_multiplier=3 << tanh_shift if tanh_shift >= 0 else 3,
            tanh_shift=max(-tanh_shift, 0),
            cell_clip=int(min(max(clip, -32768.0), 32767.0)),
            output_shape=y.shape,
        )

    def run_int(self, params: LstmParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        """One vector at a time goes through, since the state of one is the start of the next."""
        x, hidden_state, cell_state = inputs
        p = params
        places = _places(p)
        rows = x.reshape(-1, p.batch * p.steps, p.features).astype(np.int64) + p.input_offset
        out = np.zeros((len(rows), p.batch * p.steps, p.units), np.int8)
        hidden = hidden_state.reshape(p.batch, p.units).astype(np.int64)
        cell = cell_state.reshape(p.batch, p.units).astype(np.int64)
        for vector in range(len(rows)):
            for step in range(p.steps):
                at = places[:, step]
                hidden, cell = _step(p, rows[vector, at], hidden, cell)
                out[vector, at] = hidden
        hidden_state[...] = hidden.reshape(hidden_state.shape)
        cell_state[...] = cell.reshape(cell_state.shape)
        return (out.reshape(len(rows), *p.output_shape),)

    def call(self, view: NodeView, params: LstmParams) -> Call:
        return Call(
            kernel="unidirectional_sequence_lstm",
            params=params,
            inputs=(0, HIDDEN, CELL),
            scratch_bytes=4 * params.units * 2,
        )

    def macs(self, view: NodeView) -> int:
        x, units = view.input(0), view.input(HIDDEN).shape[-1]
        return x.shape[0] * x.shape[1] * 4 * units * (x.shape[2] + units)

    def read_options(self, options: Any, view: NodeView) -> LstmAttributes:
        if options is None or options.FusedActivationFunction() != TANH:
            raise view.error("takes tanh as its activation")
        return LstmAttributes(time_major=bool(options.TimeMajor()), cell_clip=float(options.CellClip()))

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        attributes = _attributes(view)
        return {
            "FusedActivationFunction": TANH,
            "TimeMajor": attributes.time_major,
            "CellClip": attributes.cell_clip,
        }


OPERATOR = UnidirectionalSequenceLstm()


def _attributes(view: NodeView) -> LstmAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, LstmAttributes)
    return attributes


def _gate(view: NodeView, scale: float, weights: Tensor) -> tuple[int, int]:
    """The multiplier of a gate's product, in double."""
    return quantize_multiplier(scale * quantization(view, weights).scale / GATE_SCALE)


def _stacked(view: NodeView, positions: Sequence[int], dtype: type[np.generic]) -> Array:
    return np.concatenate(
        [flat(view.constant(position, f"input {position}"), dtype) for position in positions]
    )


def _places(p: LstmParams) -> Array:
    """Rows of the input by batch and step."""
    return np.arange(p.batch)[:, np.newaxis] * p.batch_stride + np.arange(p.steps) * p.step_stride


def _step(p: LstmParams, x: Array, hidden: Int64, cell: Int64) -> tuple[Int64, Int64]:
    """One step of all batches: the new hidden and cell state."""
    gates = [_squashed_gate(p, gate, x, hidden) for gate in range(4)]
    entering, forgetting, candidate, leaving = gates
    kept = _saturated(requantize(forgetting * cell, p.forget_multiplier, p.forget_shift))
    added = _saturated(requantize(entering * candidate, p.update_multiplier, p.update_shift))
    cell = _saturated(kept + added)
    if p.cell_clip > 0:
        cell = np.clip(cell, -p.cell_clip, p.cell_clip)
    squashed = _tanh(p, cell, p.tanh_multiplier, p.tanh_shift)
    scaled = requantize(squashed * leaving, p.hidden_multiplier, p.hidden_shift)
    return np.clip(wrap32(scaled - p.hidden_offset), -128, 127), cell


def _squashed_gate(p: LstmParams, gate: int, x: Array, hidden: Int64) -> Int64:
    weights = p.input_weights.reshape(4, p.units, p.features)[gate]
    recurrent = p.recurrent_weights.reshape(4, p.units, p.units)[gate]
    direct = exact_matmul(x, weights.T) + p.bias.reshape(4, p.units)[gate]
    direct = _saturated(requantize(direct, p.input_multiplier[gate], p.input_shift[gate]))
    fed_back = exact_matmul(hidden + p.hidden_offset, recurrent.T)
    fed_back = _saturated(requantize(fed_back, p.recurrent_multiplier[gate], p.recurrent_shift[gate]))
    total = _saturated(direct + fed_back)
    if gate == 2:
        return _tanh(p, total, 3, 0)
    curve = CurveInt16Params(table=p.table, count=total.size, multiplier=3, shift=0)
    return logistic.OPERATOR.run_int16(curve, total).astype(np.int64)


def _tanh(p: LstmParams, x: Int64, multiplier: int, shift: int) -> Int64:
    curve = CurveInt16Params(table=p.table, count=x.size, multiplier=multiplier, shift=shift)
    return tanh.OPERATOR.run_int16(curve, x).astype(np.int64)


def _saturated(x: Int64) -> Int64:
    return np.clip(x, -32768, 32767)
