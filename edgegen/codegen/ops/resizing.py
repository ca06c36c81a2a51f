"""What the resizing operators share: the output's size and how pixels are aligned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from edgegen.codegen.graph import Attributes
from edgegen.codegen.ops.axes import per_axis
from edgegen.codegen.ops.base import NodeView


@dataclass(frozen=True)
class ResizeAttributes(Attributes):
    """`align_corners`: the outermost pixels' centres coincide. `half_pixel_centers`: pixels are areas."""

    align_corners: bool = False
    half_pixel_centers: bool = False


def resize_attributes(view: NodeView) -> ResizeAttributes:
    attributes = view.node.attributes
    assert isinstance(attributes, ResizeAttributes)
    return attributes


def output_size(view: NodeView) -> tuple[int, int]:
    """Height and width, from the constant second input."""
    size = per_axis(view, 1, "the size", 2)
    x = view.input(0)
    if len(x.shape) != 4 or min(size) < 1 or min(x.shape[1:3]) < 1:
        raise view.error(f"takes (batch, h, w, c) and a size from 1 on, got {x.describe()} and {list(size)}")
    return size[0], size[1]


def read_resize_options(options: Any, view: NodeView) -> ResizeAttributes:
    if options is None:
        return ResizeAttributes()
    return ResizeAttributes(
        align_corners=bool(options.AlignCorners()), half_pixel_centers=bool(options.HalfPixelCenters())
    )


def write_resize_options(view: NodeView) -> Mapping[str, object]:
    attributes = resize_attributes(view)
    return {"AlignCorners": attributes.align_corners, "HalfPixelCenters": attributes.half_pixel_centers}
