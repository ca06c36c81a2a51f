"""What average and maximum pooling share: windows over height and width, channel by channel."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Attributes, DType
from edgegen.codegen.ops.base import Call, NodeView, Operator, Params, TensorType
from edgegen.codegen.ops.common import (
    ACTIVATIONS,
    Padding,
    Pair,
    activation_range,
    fused_activation,
    padding_code,
    padding_of,
    quantization,
    spatial_output,
)


@dataclass(frozen=True)
class PoolAttributes(Attributes):
    size: Pair = (1, 1)
    stride: Pair = (1, 1)
    padding: Padding = field(default_factory=Padding)
    activation: str = "none"


@dataclass(frozen=True, eq=False)
class PoolParams(Params):
    batch: int
    in_h: int
    in_w: int
    channels: int
    out_h: int
    out_w: int
    kernel_h: int
    kernel_w: int
    stride_h: int
    stride_w: int
    pad_top: int
    pad_left: int
    clamp_min: int
    clamp_max: int


class PoolOperator(Operator):
    attributes = PoolAttributes
    tflite_options = "Pool2DOptions"
    types = "int8, int16"
    constraints = "input and output share scale and zero point; every window touches the input"
    monotone = True
    keeps_quantization = True

    @abstractmethod
    def reduce(self, window: Array) -> Array:
        """The value of windows (M, kh, kw, C) that lie inside the input, (M, C), in the type of the input."""

    def infer(self, view: NodeView) -> tuple[TensorType, ...]:
        x = view.input(0)
        if len(x.shape) != 4:
            raise view.error(f"takes an input (batch, h, w, c), got {x.describe()}")
        a = _attributes(view)
        if (
            max(a.padding.top, a.padding.bottom) >= a.size[0]
            or max(a.padding.left, a.padding.right) >= a.size[1]
        ):
            raise view.error(f"a padding of {a.padding.pairs} leaves windows of {a.size} without any element")
        height, width = spatial_output(view, a.size, a.stride, (1, 1), a.padding)
        return (TensorType((x.shape[0], height, width, x.shape[3]), x.dtype),)

    def run_float(self, view: NodeView, inputs: Sequence[Array | None]) -> tuple[Array, ...]:
        x = inputs[0]
        assert x is not None
        a = _attributes(view)
        low, high = {"relu": (0, np.inf), "relu6": (0, 6), "relu_n1_to_1": (-1, 1)}.get(
            a.activation, (-np.inf, np.inf)
        )
        params = _geometry(view, 0, 0)
        return (np.clip(self._pool(params, x), low, high).astype(x.dtype),)

    def prepare(self, view: NodeView) -> PoolParams:
        x, y = view.input(0), view.outputs[0]
        if x.dtype not in (DType.INT8, DType.INT16) or y.dtype is not x.dtype:
            raise view.error(f"takes int8 or int16, got {x.describe()} and {y.describe()}")
        qx, qy = quantization(view, x), quantization(view, y)
        if (qx.scale, qx.zero_point) != (qy.scale, qy.zero_point):
            raise view.error(
                f"input and output must share scale and zero point, got {qx.scale:g}, {qx.zero_point} "
                f"and {qy.scale:g}, {qy.zero_point}"
            )
        return _geometry(view, *activation_range(_attributes(view).activation, y, view))

    def run_int(self, params: PoolParams, inputs: Sequence[Array]) -> tuple[Array, ...]:
        out = self._pool(params, inputs[0])
        return (np.clip(out, params.clamp_min, params.clamp_max).astype(inputs[0].dtype),)

    def channel_sources(self, view: NodeView) -> Array | None:
        return np.arange(view.outputs[0].shape[-1])

    def call(self, view: NodeView, params: PoolParams) -> Call:
        suffix = "" if view.input(0).dtype is DType.INT8 else "_int16"
        return Call(kernel=f"{self.name}{suffix}", params=params)

    def read_options(self, options: Any, view: NodeView) -> PoolAttributes:
        size = (options.FilterHeight(), options.FilterWidth())
        stride = (options.StrideH(), options.StrideW())
        return PoolAttributes(
            size=size,
            stride=stride,
            padding=padding_of(options.Padding(), view, size, stride),
            activation=fused_activation(view, options.FusedActivationFunction()),
        )

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        a = _attributes(view)
        return {
            "Padding": padding_code(a.padding),
            "StrideH": a.stride[0],
            "StrideW": a.stride[1],
            "FilterHeight": a.size[0],
            "FilterWidth": a.size[1],
            "FusedActivationFunction": ACTIVATIONS.index(a.activation),
        }

    def _pool(self, p: PoolParams, x: Array) -> Array:
        merged = x.reshape(-1, *x.shape[2:])
        out = np.empty((merged.shape[0], p.out_h, p.out_w, p.channels), x.dtype)
        for y, rows in _inside(p.out_h, p.stride_h, p.pad_top, p.kernel_h, p.in_h):
            for column, columns in _inside(p.out_w, p.stride_w, p.pad_left, p.kernel_w, p.in_w):
                out[:, y, column] = self.reduce(merged[:, rows, columns])
        return out.reshape(x.shape[0], x.shape[1], *out.shape[1:])


def _inside(count: int, stride: int, pad: int, kernel: int, size: int) -> Iterator[tuple[int, slice]]:
    """The part of each window of one axis that lies inside the input."""
    for index in range(count):
        start = index * stride - pad
        yield index, slice(max(start, 0), min(start + kernel, size))


def _geometry(view: NodeView, low: int, high: int) -> PoolParams:
    x, a = view.input(0), _attributes(view)
    height, width = spatial_output(view, a.size, a.stride, (1, 1), a.padding)
    return PoolParams(
        batch=x.shape[0],
        in_h=x.shape[1],
        in_w=x.shape[2],
        channels=x.shape[3],
        out_h=height,
        out_w=width,
        kernel_h=a.size[0],
        kernel_w=a.size[1],
        stride_h=a.stride[0],
        stride_w=a.stride[1],
        pad_top=a.padding.top,
        pad_left=a.padding.left,
        clamp_min=low,
        clamp_max=high,
    )


def _attributes(view: NodeView) -> PoolAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, PoolAttributes)
    return attributes
