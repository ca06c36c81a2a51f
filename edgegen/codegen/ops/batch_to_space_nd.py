"""batch_to_space_nd: batches interleaved as pixels within blocks, the inverse of space_to_batch_nd."""

from __future__ import annotations

import numpy as np

from edgegen.codegen.graph import Array
from edgegen.codegen.ops.base import NodeView
from edgegen.codegen.ops.movement import Movement
from edgegen.codegen.ops.space_to_batch_nd import blocks_and_pairs


class BatchToSpaceNd(Movement):
    """Inputs 1 and 2 are constant: the block along each of one or two spatial axes, and crops."""

    name = "batch_to_space_nd"
    tflite = "BATCH_TO_SPACE_ND"
    tflite_options = "BatchToSpaceNDOptions"
    constraints = "three or four dimensions; block and crops constant"
    any_channels = True

    def move(self, view: NodeView, x: Array) -> Array:
        block, crops = blocks_and_pairs(view, "crops")
        v, batches, *space, channels = x.shape
        count = int(np.prod(block))
        if batches % count:
            raise view.error(
                f"{batches} batches of {view.input(0).describe()} are no blocks of {list(block)}"
            )
        split = x.reshape(v, *block, batches // count, *space, channels)
        order = (0, 2, 3, 1, 4) if len(block) == 1 else (0, 3, 4, 1, 5, 2, 6)
        whole = [size * n for size, n in zip(space, block, strict=True)]
        for size, crop in zip(whole, crops, strict=True):
            if sum(crop) >= size:
                raise view.error(f"crops {crop} leave nothing of {size} elements")
        kept = [slice(first, size - last) for size, (first, last) in zip(whole, crops, strict=True)]
        return split.transpose(order).reshape(v, batches // count, *whole, channels)[
            (slice(None), slice(None), *kept)
        ]


OPERATOR = BatchToSpaceNd()
