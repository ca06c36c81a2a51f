"""A timing model of the Cortex-M4: cycles of an instruction from itself and its predecessor.

A model, not a measurement: it takes flash and RAM without wait states and ignores interrupts. The figures are
those of "Cortex-M4 Technical Reference Manual" (Arm DDI 0439): instruction set summary, load/store timings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from capstone import arm

from edgegen.emulate.profile import InstructionCount

REFILL_DIRECT = 1  # pipeline refill after a taken branch to a fixed address
REFILL_INDIRECT = 2  # after a branch to an address from a register or memory
DIVIDE = 12  # 2 to 12, by the operands: the longest
SQUARE_ROOT_OR_FLOAT_DIVIDE = 14
MULTIPLE = ("ldm", "stm", "push", "pop", "vldm", "vstm", "vpush", "vpop")
DOUBLE = ("ldrd", "strd")
MULTIPLY_ACCUMULATE_FLOAT = ("vmla", "vmls", "vfma", "vfms", "vnmla", "vnmls", "vfnma", "vfnms")
FIXED: tuple[tuple[tuple[str, ...], int], ...] = (
    (DOUBLE, 3),
    (("sdiv", "udiv"), DIVIDE),
    (("tbb", "tbh"), 2 + REFILL_INDIRECT),
    (("blx", "bx"), 1 + REFILL_INDIRECT),
    (("bl",), 1 + REFILL_DIRECT),
    (("vldr", "vstr"), 2),
    (MULTIPLY_ACCUMULATE_FLOAT, 3),
    (("vdiv", "vsqrt"), SQUARE_ROOT_OR_FLOAT_DIVIDE),
    (("mrs", "msr"), 2),
    (("dsb", "isb", "dmb"), 4),
)


@dataclass(frozen=True)
class Cost:
    """Cycles of an instruction, and what a taken branch adds."""

    cycles: int
    if_taken: int = 0


def with_cycles(
    counts: Mapping[int, InstructionCount], decode: Callable[[int], Any]
) -> dict[int, InstructionCount]:
    """The same counts with `cycles` filled in."""
    decoded = {address: decode(address) for address in counts}
    before = {address + instruction.size: instruction for address, instruction in decoded.items()}
    done = {}
    for address, entry in counts.items():
        price = cost(decoded[address], before.get(address))
        done[address] = replace(entry, cycles=entry.count * price.cycles + entry.taken * price.if_taken)
    return done


def cost(instruction: Any, predecessor: Any | None) -> Cost:
    """Cycles of a capstone instruction after the one that stands before it (None: unknown)."""
    own = _own_cost(instruction, predecessor)
    if predecessor is not None and _waits_for_address(instruction, predecessor):
        return replace(own, cycles=own.cycles + 1)
    return own


def _own_cost(instruction: Any, predecessor: Any | None) -> Cost:
    name = instruction.mnemonic.split(".")[0]
    if name.startswith(MULTIPLE):
        return Cost(_multiple(instruction, name))
    if _is_single_access(instruction):
        return Cost(_single_access(instruction, predecessor))
    if name in ("cbz", "cbnz") or _is_conditional_branch(instruction, name):
        return Cost(1, if_taken=REFILL_DIRECT)
    if name == "b":
        return Cost(1 + REFILL_DIRECT)
    return Cost(next((cycles for names, cycles in FIXED if name.startswith(names)), 1))


def _multiple(instruction: Any, name: str) -> int:
    registers = [operand.reg for operand in instruction.operands if operand.type == arm.ARM_OP_REG]
    base = 0 if name.startswith(("push", "pop", "vpush", "vpop")) else 1
    refill = REFILL_INDIRECT if arm.ARM_REG_PC in registers else 0
    return 1 + len(registers) - base + refill


def _is_conditional_branch(instruction: Any, name: str) -> bool:
    always = (arm.ARM_CC_AL, arm.ARM_CC_INVALID)
    return instruction.id == arm.ARM_INS_B and name != "b" and instruction.cc not in always


def _is_single_access(instruction: Any) -> bool:
    name = instruction.mnemonic
    return name.startswith(("ldr", "str")) and not name.startswith(DOUBLE)


def _single_access(instruction: Any, predecessor: Any | None) -> int:
    """A load takes two cycles, one when it follows another access; a store hides behind the write buffer."""
    destination = instruction.operands[0].reg
    if instruction.mnemonic.startswith("ldr") and destination == arm.ARM_REG_PC:
        return 2 + REFILL_INDIRECT
    if instruction.mnemonic.startswith("str"):
        return 1
    if predecessor is None or not _is_single_access(predecessor):
        return 2
    is_load = predecessor.mnemonic.startswith("ldr")
    fed = is_load and _loaded(predecessor) in _address_registers(instruction)
    return 2 if fed else 1


def _loaded(instruction: Any) -> int:
    return int(instruction.operands[0].reg)


def _address_registers(instruction: Any) -> set[int]:
    memory = [operand.mem for operand in instruction.operands if operand.type == arm.ARM_OP_MEM]
    if not memory and instruction.mnemonic.startswith(("ldm", "stm")):
        return {instruction.operands[0].reg}
    return {register for part in memory for register in (part.base, part.index) if register}


def _waits_for_address(instruction: Any, predecessor: Any) -> bool:
    """The address comes from the data-processing instruction right before."""
    if predecessor.mnemonic.startswith(("ldr", "str", *MULTIPLE)):
        return False
    needed = _address_registers(instruction)
    return bool(needed) and not needed.isdisjoint(predecessor.regs_access()[1])
