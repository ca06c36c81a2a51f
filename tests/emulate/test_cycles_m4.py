"""The timing model, instruction by instruction, against the figures of the processor's manual."""

from __future__ import annotations

import capstone
import pytest

from edgegen.emulate.cycles_m4 import Cost, cost

DECODER = capstone.Cs(capstone.CS_ARCH_ARM, capstone.CS_MODE_THUMB | capstone.CS_MODE_MCLASS)
DECODER.detail = True

# half-words, little endian
LDR_R0_R1 = "0868"
LDR_R2_R3 = "1a68"
LDR_R2_R0 = "0268"
STR_R2_R3 = "1a60"
ADDS_R1_1 = "0131"
PUSH_R4_LR = "10b5"
POP_R4_PC = "10bd"
PUSH_W_8 = "2de9f04f"  # r4-r11, lr
POP_W_8 = "bde8f08f"  # r4-r11, pc
LDM_R0_4 = "0fc8"  # r0!, {r0-r3}: 4 registers
STM_R0_2 = "06c0"  # r0!, {r1, r2}
LDRD = "d0e90023"  # r2, r3, [r0]
UDIV = "b0fbf1f0"
SMLAD = "20fb0230"
BEQ = "00d0"
B = "00e0"
CBZ_R0 = "00b1"
BL = "00f000f8"
BX_LR = "7047"
IT_EQ = "08bf"
MOVS = "0020"
VLDR = "90ed000a"
VMLA = "00ee810a"
VADD = "30ee810a"


def decode(code: str) -> list[object]:
    return list(DECODER.disasm(bytes.fromhex(code), 0x100))


def price(code: str, before: str | None = None) -> Cost:
    if before is None:
        return cost(decode(code)[0], None)
    first, second = decode(before + code)
    return cost(second, first)


@pytest.mark.parametrize(
    ("code", "cycles"),
    [
        (LDR_R0_R1, 2),
        (STR_R2_R3, 1),
        (MOVS, 1),
        (SMLAD, 1),
        (UDIV, 12),
        (PUSH_R4_LR, 1 + 2),
        (POP_R4_PC, 1 + 2 + 2),
        (PUSH_W_8, 1 + 9),
        (POP_W_8, 1 + 9 + 2),
        (LDM_R0_4, 1 + 4),
        (STM_R0_2, 1 + 2),
        (LDRD, 3),
        (B, 2),
        (BL, 2),
        (BX_LR, 3),
        (IT_EQ, 1),
        (VLDR, 2),
        (VMLA, 3),
        (VADD, 1),
    ],
)
def test_an_instruction_alone(code: str, cycles: int) -> None:
    assert price(code) == Cost(cycles)


@pytest.mark.parametrize("code", [BEQ, CBZ_R0])
def test_a_conditional_branch_costs_more_when_taken(code: str) -> None:
    assert price(code) == Cost(1, if_taken=1)


def test_loads_in_a_row_overlap() -> None:
    assert price(LDR_R2_R3, before=LDR_R0_R1) == Cost(1)


def test_a_load_from_the_address_just_loaded_waits() -> None:
    assert price(LDR_R2_R0, before=LDR_R0_R1) == Cost(2)


def test_an_address_that_was_just_computed_costs_a_cycle() -> None:
    assert price(LDR_R0_R1, before=ADDS_R1_1) == Cost(3)
    assert price(LDR_R2_R3, before=ADDS_R1_1) == Cost(2)
