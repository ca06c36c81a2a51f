"""Lowering for the DSP instructions of Cortex-M4, M7 and M33: when each kernel applies, and at what price."""

from __future__ import annotations

from collections.abc import Sequence

from edgegen.codegen.lower import Choice
from edgegen.codegen.lowering.dsp.conv2d import packed_conv2d
from edgegen.codegen.lowering.dsp.dense import direct_dense, packed_dense
from edgegen.codegen.lowering.dsp.depthwise import depthwise_by_rows
from edgegen.codegen.lowering.dsp.packing import BLOCK, HALFWORD, LARGEST_INPUT
from edgegen.codegen.lowering.dsp.planes import depthwise_by_planes
from edgegen.codegen.lowering.dsp.sums import aligned_sum
from edgegen.codegen.lowering.dsp.winograd import winograd_choice, winograd_conv2d
from edgegen.codegen.lowering.tools import as_conv2d, constant_bytes
from edgegen.codegen.ops.base import Call, NodeView
from edgegen.codegen.ops.conv2d import Conv2dParams
from edgegen.codegen.ops.depthwise_conv2d import DepthwiseConv2dParams
from edgegen.codegen.ops.fully_connected import FullyConnectedParams
from edgegen.codegen.ops.pools import PoolParams
from edgegen.codegen.ops.sums import SumParams

KERNELS = {
    "conv2d": "conv2d_packed, conv2d_winograd",
    "fully_connected": "fully_connected_packed",
    "depthwise_conv2d": "depthwise_conv2d_planes, depthwise_conv2d_rows",
    "add": "add_aligned",
    "sub": "add_aligned",
    "average_pool2d": "average_pool2d_wide",
}
"""What this folder offers, by operator; the documentation lists it."""


def choices(view: NodeView, call: Call) -> Sequence[Choice]:
    """The packed kernel where it applies, beside the portable one that always does."""
    params = call.params
    made: Call | None = None
    if call.kernel == "conv2d" and isinstance(params, Conv2dParams):
        made = packed_conv2d(params)
    elif call.kernel == "fully_connected" and isinstance(params, FullyConnectedParams):
        made = packed_dense(params)
    elif call.kernel == "depthwise_conv2d" and isinstance(params, DepthwiseConv2dParams):
        made = _depthwise(params)
    elif call.kernel == "add" and isinstance(params, SumParams):
        made = aligned_sum(view, params, call)
    elif call.kernel == "average_pool2d" and isinstance(params, PoolParams):
        made = _average_pool(params)
    if made is None:
        return ()
    macs = max(_macs(view), view.outputs[0].size)
    direct = direct_dense(made) if made.kernel == "fully_connected_packed" else None
    for_speed = winograd_conv2d(params) if isinstance(params, Conv2dParams) else None
    return (
        *((winograd_choice(for_speed),) if for_speed is not None else ()),
        *((Choice(direct, macs, constant_bytes(made.params), "no scratch", ("ram",)),) if direct else ()),
        Choice(made, macs * 5 // 4, constant_bytes(made.params), "DSP instructions"),
        Choice(call, macs * 15, constant_bytes(params), "portable"),
    )


def _depthwise(p: DepthwiseConv2dParams) -> Call | None:
    if p.in_c == 1:
        return packed_conv2d(as_conv2d(p))
    return depthwise_by_planes(p) or depthwise_by_rows(p)


def _macs(view: NodeView) -> int:
    from edgegen.codegen import ops

    return ops.get(view.node.op).macs(view)


def _average_pool(p: PoolParams) -> Call | None:
    """Four channels at a time, summed in int16: as many elements as cannot overflow it."""
    if p.channels % BLOCK or p.kernel_h * p.kernel_w > HALFWORD // LARGEST_INPUT - 1:
        return None
    return Call("average_pool2d_wide", p)
