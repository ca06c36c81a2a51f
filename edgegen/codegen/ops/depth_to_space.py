"""depth_to_space: blocks of channels laid out as squares of pixels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edgegen.codegen.graph import Array, Attributes
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement


@dataclass(frozen=True)
class BlockAttributes(Attributes):
    """The side of the square of pixels."""

    block: int = 2


class BlockMovement(Movement):
    attributes = BlockAttributes

    def block(self, view: NodeView) -> int:
        """The block of a four-dimensional input."""
        attributes = view.node.attributes
        assert isinstance(attributes, BlockAttributes)
        if len(view.input(0).shape) != 4 or attributes.block < 1:
            raise view.error(
                f"takes (batch, h, w, c) and a block from 1 on, got {view.input(0).describe()} "
                f"and {attributes.block}"
            )
        return attributes.block

    def read_options(self, options: Any, view: NodeView) -> Attributes:
        if options is None:
            raise view.error("has no options, so its block is unknown")
        return BlockAttributes(block=options.BlockSize())

    def write_options(self, view: NodeView) -> Mapping[str, object]:
        assert isinstance(view.node.attributes, BlockAttributes)
        return {"BlockSize": view.node.attributes.block}


class DepthToSpace(BlockMovement):
    name = "depth_to_space"
    tflite = "DEPTH_TO_SPACE"
    tflite_options = "DepthToSpaceOptions"
    constraints = "channels a multiple of the block squared"

    def move(self, view: NodeView, x: Array) -> Array:
        block = self.block(view)
        v, n, h, w, c = x.shape
        if c % (block * block):
            raise view.error(f"{c} channels do not fill squares of {block} x {block}")
        depth = c // (block * block)
        split = x.reshape(v, n, h, w, block, block, depth).transpose(0, 1, 2, 4, 3, 5, 6)
        return split.reshape(v, n, h * block, w * block, depth)


OPERATOR = DepthToSpace()
