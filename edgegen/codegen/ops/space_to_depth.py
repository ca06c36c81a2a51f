"""space_to_depth: squares of pixels laid out as channels."""

from __future__ import annotations

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.depth_to_space import BlockMovement


class SpaceToDepth(BlockMovement):
    name = "space_to_depth"
    tflite = "SPACE_TO_DEPTH"
    tflite_options = "SpaceToDepthOptions"
    constraints = "height and width multiples of the block"

    def move(self, view: NodeView, x: Array) -> Array:
        block = self.block(view)
        v, n, h, w, c = x.shape
        if h % block or w % block:
            raise view.error(f"{h} x {w} pixels do not divide into squares of {block} x {block}")
        split = x.reshape(v, n, h // block, block, w // block, block, c).transpose(0, 1, 2, 4, 3, 5, 6)
        return split.reshape(v, n, h // block, w // block, block * block * c)


OPERATOR = SpaceToDepth()
