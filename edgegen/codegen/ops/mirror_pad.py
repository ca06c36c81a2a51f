"""mirror_pad: a tensor continued beyond its borders by its own mirror image."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from edgegen.codegen.graph import Array, Attributes
from edgegen.codegen.ops.axes import constant_pairs
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement

MODES = ("reflect", "symmetric")
"""At the positions of `tflite.MirrorPadMode`: without and with the border element repeated."""


@dataclass(frozen=True)
class MirrorPadAttributes(Attributes):
    mode: str = "reflect"


class MirrorPad(Movement):
    """Input 1 is a constant (rank, 2) matrix of elements before and after each axis."""

    name = "mirror_pad"
    attributes = MirrorPadAttributes
    tflite = "MIRROR_PAD"
    tflite_options = "MirrorPadOptions"
    constraints = "paddings constant and less than the axis (symmetric: not more)"
    any_channels = True

    def move(self, view: NodeView, x: Array) -> Array:
        attributes = view.node.attributes
        assert isinstance(attributes, MirrorPadAttributes)
        shape = view.input(0).shape
        pairs = constant_pairs(view, 1, "paddings", len(shape))
        reflect = attributes.mode == "reflect"
        for size, pair in zip(shape, pairs, strict=True):
            if max(pair) > size - reflect:
                raise view.error(
                    f"a padding of {pair} is more than the mirror image of {size} elements gives"
                )
        return np.pad(x, ((0, 0), *pairs), mode="reflect" if reflect else "symmetric")

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        return MirrorPadAttributes(mode=MODES[0 if options is None else options.Mode()])

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        return {"Mode": MODES.index(_mode(view))}


OPERATOR = MirrorPad()


def _mode(view: NodeView) -> str:
    attributes = view.node.attributes
    assert isinstance(attributes, MirrorPadAttributes)
    return attributes.mode


def _pairs(view: NodeView) -> tuple[tuple[int, int], ...]:
    shape = view.input(0).shape
    pairs = constant_pairs(view, 1, "paddings", len(shape))
    for size, pair in zip(shape, pairs, strict=True):
        if max(pair) > size - (_mode(view) == "reflect"):
            raise view.error(f"a padding of {pair} is more than the mirror image of {size} elements gives")
    return pairs
