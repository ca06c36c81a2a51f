"""Convolution as a function on tensors."""

from __future__ import annotations

import numpy as np

from edgegen.frontend.arrays import conv as arrays
from edgegen.frontend.arrays.channels import channel_sum
from edgegen.frontend.arrays.windows import Array, Pair
from edgegen.frontend.functional import check
from edgegen.frontend.functional.check import PaddingLike
from edgegen.frontend.mode import fail
from edgegen.frontend.tape import Attr
from edgegen.frontend.tensor import Tensor, apply


def conv2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    stride: int | Pair = 1,
    dilation: int | Pair = 1,
    padding: PaddingLike = "valid",
    groups: int = 1,
) -> Tensor:
    """Correlate images with a kernel.

    `x` (N, H, W, C), `weight` (O, KH, KW, C / groups), `bias` (O,); gives (N, OH, OW, O). `padding` is
    "valid", "same" (output ceil(input / stride), an odd pixel at the end) or ((top, bottom), (left, right))
    in pixels. With `groups` equal to C the convolution is depthwise.
    """
    _check(x, weight, bias, groups)
    image = (x.shape[1], x.shape[2])
    window = check.window("conv2d", image, (weight.shape[1], weight.shape[2]), stride, dilation, padding)
    a, w = x._data, weight._data
    y = arrays.conv2d(a, w, window, groups)
    if bias is not None:
        y += bias._data

    def pull(dy: Array) -> tuple[Array | None, ...]:
        # Images need no gradient, and theirs would be the dearest of a network.
        dx = arrays.conv2d_input_gradient(dy, a, w, window, groups) if x.requires_grad else None
        dw = arrays.conv2d_weight_gradient(dy, a, w, window, groups) if weight.requires_grad else None
        return (dx, dw) if bias is None else (dx, dw, channel_sum(dy))

    inputs = (x, weight) if bias is None else (x, weight, bias)
    attrs: dict[str, Attr] = {
        "stride": window.stride, "dilation": window.dilation, "padding": window.padding, "groups": groups,
    }  # fmt: skip
    return apply("conv2d", inputs, y, pull, attrs)


def conv_transpose2d(
    x: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    stride: int | Pair = 1,
    padding: str = "valid",
) -> Tensor:
    """The transpose of `conv2d`: what its gradient does to images, for making them larger.

    `x` (N, H, W, C), `weight` (C, KH, KW, O), `bias` (O,); gives (N, OH, OW, O), with "same" OH = H * stride,
    with "valid" OH = (H - 1) * stride + KH.
    """
    op = "conv_transpose2d"
    check.floats(op, x, weight)
    check.rank(op, "x", x, ("N", "H", "W", "C"))
    check.rank(op, "weight", weight, ("C", "KH", "KW", "O"))
    check.shape(op, "weight", weight, (x.shape[3], *weight.shape[1:]))
    steps = check.pair(op, "stride", stride)
    size = (weight.shape[1], weight.shape[2])
    if padding not in ("same", "valid"):
        fail(op, f'padding takes "same" or "valid", got {padding!r}')
    grown = tuple(
        n * s if padding == "same" else (n - 1) * s + k
        for n, s, k in zip((x.shape[1], x.shape[2]), steps, size, strict=True)
    )
    window = check.window(op, (grown[0], grown[1]), size, steps, 1, padding)
    a, w = x._data, weight._data
    image = np.empty((x.shape[0], *grown, w.shape[3]), a.dtype)
    y = arrays.conv2d_input_gradient(a, image, w, window, 1)
    if bias is not None:
        check.shape(op, "bias", bias, (w.shape[3],))
        y = y + bias._data

    def pull(dy: Array) -> tuple[Array | None, ...]:
        dx = arrays.conv2d(dy, w, window, 1) if x.requires_grad else None
        dw = arrays.conv2d_weight_gradient(a, dy, w, window, 1) if weight.requires_grad else None
        return (dx, dw) if bias is None else (dx, dw, channel_sum(dy))

    inputs = (x, weight) if bias is None else (x, weight, bias)
    attrs: dict[str, Attr] = {"stride": steps, "padding": window.padding}
    return apply(op, inputs, y, pull, attrs)


def _check(x: Tensor, weight: Tensor, bias: Tensor | None, groups: int) -> None:
    op = "conv2d"
    check.rank(op, "input", x, ("N", "H", "W", "C"))
    check.rank(op, "weight", weight, ("out", "kh", "kw", "in / groups"))
    check.floats(op, x, weight, *(() if bias is None else (bias,)))
    channels, outputs = x.shape[3], weight.shape[0]
    if groups < 1 or channels % groups or outputs % groups:
        fail(op, f"{channels} channels and {outputs} outputs do not split in {groups} groups")
    check.shape(op, "weight (out, kh, kw, in / groups)", weight, (*weight.shape[:3], channels // groups))
    if bias is not None:
        check.shape(op, "bias", bias, (outputs,))
