"""Instructions of an image, decoded once each."""

from __future__ import annotations

from typing import Any

import capstone

from edgegen.emulate.image import ElfImage
from edgegen.errors import ToolError


class ThumbDecoder:
    """Decodes Thumb instructions of a Cortex-M image, by address."""

    def __init__(self, image: ElfImage) -> None:
        self._image = image
        self._known: dict[int, Any] = {}
        mode = capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS
        self._capstone = capstone.Cs(capstone.CS_ARCH_ARM, mode)
        self._capstone.detail = True

    def __call__(self, address: int) -> Any:
        """capstone's instruction at an address. ToolError where the image has none."""
        if address not in self._known:
            decoded = next(self._capstone.disasm(self._image.code(address, 4), address, 1), None)
            if decoded is None:
                raise ToolError(f"{self._image.path.name}: no instruction at {self._image.describe(address)}")
            self._known[address] = decoded
        return self._known[address]


class Aarch64Instruction:
    """All instructions of AArch64 have four bytes; nothing else is needed to count them."""

    size = 4

    def __init__(self, address: int) -> None:
        self.address = address
