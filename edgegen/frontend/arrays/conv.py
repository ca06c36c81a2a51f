"""Convolution on images (N, H, W, C) with weights (O, KH, KW, C / groups), and its gradients."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from edgegen.frontend.arrays.channels import along, channel_sum
from edgegen.frontend.arrays.windows import Array, Pair, Window, add_columns, columns, cropped, padded, taps


def conv2d(x: Array, weight: Array, window: Window, groups: int) -> Array:
    """The correlation of `x` with `weight`, (N, OH, OW, O), each group of channels with its own outputs."""
    border, output = padded(x, window.padding), window.output((x.shape[1], x.shape[2]))
    if _is_depthwise(x, groups):
        return _depthwise(border, weight, window, output)
    y = np.empty((x.shape[0], *output, weight.shape[0]), x.dtype)
    for channels, outputs in _groups(weight, groups):
        product = _columns(border[..., channels], window, output) @ _matrix(weight[outputs]).T
        y[..., outputs] = product.reshape(*y.shape[:3], -1)
    return y


def conv2d_input_gradient(dy: Array, x: Array, weight: Array, window: Window, groups: int) -> Array:
    """The gradient of `x`, given that of the output."""
    output = (dy.shape[1], dy.shape[2])
    border = np.zeros_like(padded(x, window.padding))
    if _is_depthwise(x, groups):
        _depthwise_input_gradient(border, dy, weight, window)
    else:
        for channels, outputs in _groups(weight, groups):
            cols = _rows(dy[..., outputs]) @ _matrix(weight[outputs])
            add_columns(border[..., channels], cols, window, output)
    return cropped(border, window.padding)


def conv2d_weight_gradient(dy: Array, x: Array, weight: Array, window: Window, groups: int) -> Array:
    """The gradient of `weight`, given that of the output."""
    border, output = padded(x, window.padding), (dy.shape[1], dy.shape[2])
    if _is_depthwise(x, groups):
        return _depthwise_weight_gradient(dy, border, weight, window)
    parts = [
        _rows(dy[..., outputs]).T @ _columns(border[..., channels], window, output)
        for channels, outputs in _groups(weight, groups)
    ]
    return np.concatenate(parts).reshape(weight.shape)


def _groups(weight: Array, groups: int) -> Iterator[tuple[slice, slice]]:
    # For each group, the channels that it reads and the outputs that it writes.
    channels, outputs = weight.shape[3], weight.shape[0] // groups
    for g in range(groups):
        yield slice(g * channels, (g + 1) * channels), slice(g * outputs, (g + 1) * outputs)


def _matrix(weight: Array) -> Array:
    return weight.reshape(weight.shape[0], -1)


def _rows(y: Array) -> Array:
    return y.reshape(-1, y.shape[-1])


def _columns(border: Array, window: Window, output: Pair) -> Array:
    return _rows(border) if window.is_pointwise() else columns(border, window, output)


# Depthwise: each output sees one channel, so a matrix product would be mostly overhead. Instead every tap of
# the window adds its shifted image. With a multiplier, the outputs of one channel lie side by side.


def _is_depthwise(x: Array, groups: int) -> bool:
    return groups == x.shape[3] and groups > 1


def _kernels(weight: Array) -> Array:
    return _matrix(weight).T  # (KH * KW, O)


def _repeated(view: Array, outputs: int) -> Array:
    multiplier = outputs // view.shape[-1]
    return view if multiplier == 1 else np.repeat(view, multiplier, axis=-1)


def _depthwise(border: Array, weight: Array, window: Window, output: Pair) -> Array:
    y = np.zeros((border.shape[0], *output, weight.shape[0]), border.dtype)
    for kernel, view in zip(_kernels(weight), taps(border, window, output), strict=True):
        y += _repeated(view, weight.shape[0]) * along(kernel, y)
    return y


def _depthwise_input_gradient(border: Array, dy: Array, weight: Array, window: Window) -> None:
    channels, multiplier = border.shape[-1], weight.shape[0] // border.shape[-1]
    for kernel, target in zip(
        _kernels(weight), taps(border, window, (dy.shape[1], dy.shape[2])), strict=True
    ):
        product = dy * along(kernel, dy)
        if multiplier > 1:
            product = product.reshape(*dy.shape[:3], channels, multiplier).sum(axis=-1)
        target += product


def _depthwise_weight_gradient(dy: Array, border: Array, weight: Array, window: Window) -> Array:
    views = taps(border, window, (dy.shape[1], dy.shape[2]))
    sums = [channel_sum(_repeated(view, weight.shape[0]) * dy) for view in views]
    return np.stack(sums, axis=1).reshape(weight.shape)
