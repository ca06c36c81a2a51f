"""Elementwise sums and differences."""

from __future__ import annotations

from dataclasses import dataclass, replace

from edgegen.codegen.lowering.dsp.packing import FAST_SHIFTS
from edgegen.codegen.ops.base import Call, NodeView, Params, RowForm, RowInput
from edgegen.codegen.ops.sums import SumParams


@dataclass(frozen=True, eq=False)
class AddAlignedParams(Params):
    """See kernels/add_aligned.h."""

    count: int
    wide_is_second: int
    wide_scale: int
    wide_offset: int
    fine_offset: int
    fine_multiplier: int
    fine_right: int
    fine_nudge: int
    fine_sign: int
    multiplier: int
    right: int
    nudge: int


def aligned_sum(view: NodeView, p: SumParams, call: Call) -> Call | None:
    """Operands of one shape, of which the one of the larger scale needs no multiplier but one half."""
    half = (1 << 30, 0)
    first, second = (p.first_multiplier, p.first_shift), (p.second_multiplier, p.second_shift)
    same = view.input(0).shape == view.input(1).shape
    full = (p.clamp_min, p.clamp_max) == (-128, 127)
    if not same or not full or half not in (first, second) or -p.output_shift not in FAST_SHIFTS:
        return None
    wide_is_second = first != half
    wide_offset, fine_offset = p.first_offset, p.second_offset
    fine_multiplier, fine_shift = second
    signs = (1, p.sign)
    if wide_is_second:
        wide_offset, fine_offset = p.second_offset, p.first_offset
        fine_multiplier, fine_shift = first
        signs = (p.sign, 1)
    right = -p.output_shift
    made = AddAlignedParams(
        count=view.outputs[0].size,
        wide_is_second=int(wide_is_second),
        wide_scale=signs[0] << 20,
        wide_offset=(signs[0] << 20) * wide_offset,
        fine_offset=fine_offset << 21,
        fine_multiplier=fine_multiplier,
        fine_right=-fine_shift,
        fine_nudge=(1 << -fine_shift) >> 1,
        fine_sign=2 * signs[1],
        multiplier=p.output_multiplier,
        right=right,
        nudge=(2 * p.output_offset + 1) << (right - 1),
    )
    block = made.wide_scale > 0 and made.fine_sign > 0 and made.fine_right > 0
    features = ("ADD_BLOCK" if block else "ADD_ANY",)
    rows = _rows(view, made, features)
    return Call("add_aligned", made, inputs=(0, 1), in_place=call.in_place, features=features, rows=rows)


def _rows(view: NodeView, made: AddAlignedParams, features: tuple[str, ...]) -> RowForm | None:
    """A row at a time where the operands are images."""
    shape = view.outputs[0].shape
    if len(shape) != 4 or shape[0] != 1:
        return None
    return RowForm(
        kernel="add_aligned",
        function="add_aligned",
        params=replace(made, count=shape[2] * shape[3]),
        inputs=tuple(RowInput(position, height=1, stride=1, pad_top=0, direct=True) for position in (0, 1)),
        arrays=False,
        features=features,
    )
