"""Convolution on images (N, H, W, C) with weights (O, KH, KW, C / groups), and its gradients."""

from __future__ import annotations

import numpy as np

from edgegen.frontend.arrays.windows import Array, Pair, Window, add_columns, columns, cropped, padded, taps


def conv2d(x: Array, weight: Array, window: Window, groups: int) -> Array:
    """The correlation of `x` with `weight`, (N, OH, OW, O), each group of channels with its own outputs."""
    output = window.output((x.shape[1], x.shape[2]))
    border = padded(x, window.padding)
    if _is_depthwise(weight, x, groups):
        return _depthwise(border, weight, window, output)
    parts = [
        _columns(border[..., group.channels], window, output) @ _matrix(weight[group.outputs]).T
        for group in _groups(x, weight, groups)
    ]
    flat = parts[0] if groups == 1 else np.concatenate(parts, axis=1)
    return flat.reshape(x.shape[0], *output, weight.shape[0])


def conv2d_gradients(dy: Array, x: Array, weight: Array, window: Window, groups: int) -> tuple[Array, Array]:
    """The gradients of input and weight, given that of the output."""
    output = (dy.shape[1], dy.shape[2])
    border = padded(x, window.padding)
    if _is_depthwise(weight, x, groups):
        dborder, dweight = _depthwise_gradients(dy, border, weight, window, output)
    else:
        dborder, dweight = _grouped_gradients(dy, border, weight, window, groups)
    return cropped(dborder, window.padding), dweight


class _Group:
    """The channels that a group reads and the outputs that it writes."""

    def __init__(self, index: int, channels: int, outputs: int) -> None:
        self.channels = slice(index * channels, (index + 1) * channels)
        self.outputs = slice(index * outputs, (index + 1) * outputs)


def _groups(x: Array, weight: Array, groups: int) -> list[_Group]:
    return [_Group(g, weight.shape[3], weight.shape[0] // groups) for g in range(groups)]


def _matrix(weight: Array) -> Array:
    return weight.reshape(weight.shape[0], -1)


def _columns(border: Array, window: Window, output: Pair) -> Array:
    if window.is_pointwise():
        return border.reshape(-1, border.shape[3])
    return columns(border, window, output)


def _grouped_gradients(
    dy: Array, border: Array, weight: Array, window: Window, groups: int
) -> tuple[Array, Array]:
    output = (dy.shape[1], dy.shape[2])
    dborder = np.zeros_like(border)
    dweight = np.empty_like(weight)
    for group in _groups(border, weight, groups):
        flat = dy[..., group.outputs].reshape(-1, weight.shape[0] // groups)
        cols = _columns(border[..., group.channels], window, output)
        dweight[group.outputs] = (flat.T @ cols).reshape(dweight[group.outputs].shape)
        add_columns(dborder[..., group.channels], flat @ _matrix(weight[group.outputs]), window, output)
    return dborder, dweight


def _is_depthwise(weight: Array, x: Array, groups: int) -> bool:
    return groups == x.shape[3] and groups > 1


def _per_channel(weight: Array, channels: int) -> Array:
    # (O, KH, KW, 1) -> (KH * KW, C, multiplier): outputs of one channel lie side by side.
    outputs = weight.shape[0]
    return weight.reshape(channels, outputs // channels, -1).transpose(2, 0, 1)


def _depthwise(border: Array, weight: Array, window: Window, output: Pair) -> Array:
    n, channels = border.shape[0], border.shape[3]
    kernel = _per_channel(weight, channels)
    total = np.zeros((n, *output, channels, kernel.shape[2]), np.result_type(border, weight))
    for k, view in enumerate(taps(border, window, output)):
        total += view[..., None] * kernel[k]
    return total.reshape(n, *output, weight.shape[0])


def _depthwise_gradients(
    dy: Array, border: Array, weight: Array, window: Window, output: Pair
) -> tuple[Array, Array]:
    n, channels = border.shape[0], border.shape[3]
    kernel = _per_channel(weight, channels)
    split = dy.reshape(n, *output, channels, kernel.shape[2])
    dborder, dkernel = np.zeros_like(border), np.empty_like(kernel)
    sources, targets = taps(border, window, output), taps(dborder, window, output)
    for k, (source, target) in enumerate(zip(sources, targets, strict=True)):
        dkernel[k] = np.einsum("nhwc,nhwcm->cm", source, split)
        target += np.einsum("nhwcm,cm->nhwc", split, kernel[k])
    return dborder, dkernel.transpose(1, 2, 0).reshape(weight.shape)
