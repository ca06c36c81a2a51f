"""Dense layers by packed pairs of weights."""

from __future__ import annotations

from dataclasses import dataclass, replace

from edgegen.codegen.graph import Array
from edgegen.codegen.lowering.dsp.packing import (
    BLOCK,
    GROUP,
    SCALE_WORDS,
    doubled,
    exact_rescaling,
    is_fast,
    packable,
    packed,
    requantisation,
    scale_words,
)
from edgegen.codegen.lowering.tools import folded_bias
from edgegen.codegen.ops.base import Call, Params
from edgegen.codegen.ops.fully_connected import FullyConnectedParams


@dataclass(frozen=True, eq=False)
class FullyConnectedPackedParams(Params):
    """See kernels/fully_connected_packed.h."""

    weights: Array
    twice_bias: Array | None
    scales: Array | None
    scales_bytes: int
    bias: Array | None
    multiplier: Array | None
    shift: Array | None
    groups: int
    direct: int
    rows: int
    in_features: int
    out_features: int
    output_offset: int
    clamp_min: int
    clamp_max: int


def packed_dense(p: FullyConnectedParams) -> Call | None:
    rows = p.weights.reshape(p.out_features, p.in_features)
    if not packable(rows):
        return None
    weights = packed(rows)
    groups = weights.size // (2 * BLOCK * -(-p.out_features // BLOCK))
    bias = folded_bias(p.bias, rows, p.input_offset)
    fast = is_fast(bias, rows, p)
    scales = scale_words(p) if fast else None
    uniform = scales is not None and len({tuple(block) for block in scales.reshape(-1, SCALE_WORDS)}) == 1
    if scales is not None and uniform:
        scales = scales[:SCALE_WORDS]
    made = FullyConnectedPackedParams(
        weights=weights,
        twice_bias=doubled(bias) if fast else None,
        scales=scales,
        scales_bytes=0 if uniform else 4 * SCALE_WORDS,
        **exact_rescaling(bias, fast, p),
        groups=groups,
        direct=0,
        rows=p.rows,
        in_features=p.in_features,
        out_features=p.out_features,
        output_offset=p.output_offset,
        clamp_min=p.clamp_min,
        clamp_max=p.clamp_max,
    )
    in_place = (0,) if p.rows == 1 and p.out_features <= p.in_features else ()
    return Call(
        "fully_connected_packed",
        made,
        scratch_bytes=groups * GROUP * 2,
        in_place=in_place,
        features=(requantisation("DENSE", fast, p), "DENSE_COLUMN"),
    )


def direct_dense(call: Call) -> Call | None:
    """The same without scratch, for whole groups of inputs: slower, since each block unpacks them."""
    p = call.params
    assert isinstance(p, FullyConnectedPackedParams)
    if p.scales is None or p.in_features % GROUP:
        return None
    kind = next(feature for feature in call.features if feature != "DENSE_COLUMN")
    # the kernel takes a scratch pointer all the same
    return Call(call.kernel, replace(p, direct=1), scratch_bytes=1, features=(kind, "DENSE_DIRECT"))
