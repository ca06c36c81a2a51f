"""A bare-metal Cortex-M4 in unicorn: read-only flash, RAM to the byte of the budget, files in memory."""

from __future__ import annotations

import struct
from typing import Any

from unicorn import (
    UC_ARCH_ARM,
    UC_HOOK_INTR,
    UC_MODE_MCLASS,
    UC_MODE_THUMB,
    UC_PROT_ALL,
    UC_PROT_EXEC,
    UC_PROT_READ,
    Uc,
)
from unicorn.arm_const import (
    UC_ARM_REG_PC,
    UC_ARM_REG_R0,
    UC_ARM_REG_R1,
    UC_ARM_REG_SP,
    UC_CPU_ARM_CORTEX_M4,
)

from edgegen.emulate.blocks import Block
from edgegen.emulate.cycles_m4 import with_cycles
from edgegen.emulate.decode import ThumbDecoder
from edgegen.emulate.image import ElfImage, load_elf
from edgegen.emulate.profile import Profile, expand, layer_costs, without_harness
from edgegen.emulate.run import RunRequest, RunResult, faulted
from edgegen.emulate.unicorn_core import NAME, PAINT, Machine
from edgegen.errors import ToolError

SYSTEM_CONTROL_SPACE = 0xE000E000
ERASED = 0xFF
BREAKPOINT = 7  # unicorn's interrupt number
SEMIHOSTING = b"\xab\xbe"  # bkpt 0xab
SYS_OPEN, SYS_WRITE0, SYS_WRITE, SYS_READ, SYS_EXIT_EXTENDED = 0x01, 0x04, 0x05, 0x06, 0x20
VECTORS, RESULTS = 3, 4  # file handles
FILES = {b"vectors.bin": VECTORS, b"results.bin": RESULTS}
FAILED = 0xFFFFFFFF


class CortexM4(Machine):
    """The machine of the target's board, with its budget."""

    def __init__(self, image: ElfImage, request: RunRequest) -> None:
        engine = Uc(UC_ARCH_ARM, UC_MODE_THUMB | UC_MODE_MCLASS)
        engine.ctl_set_cpu_model(UC_CPU_ARM_CORTEX_M4)
        super().__init__(engine, image, request, pc=UC_ARM_REG_PC, sp=UC_ARM_REG_SP, argument=UC_ARM_REG_R0)
        self._map_board()
        self.stack_bottom = image.address_of("__stack_bottom")
        self.stack_top = image.address_of("__stack_top")
        engine.hook_add(UC_HOOK_INTR, self._interrupt)
        self.watch_marks()

    def _map_board(self) -> None:
        board, budget = self.request.target.board, self.request.target.budget
        if board.flash_origin is None or board.ram_origin is None:
            raise ToolError(f"board {board.id} does not say where its flash and RAM are")
        self.map(board.flash_origin, budget.flash_bytes, UC_PROT_READ | UC_PROT_EXEC, ERASED)
        self.map(board.ram_origin, budget.ram_bytes, UC_PROT_ALL, PAINT)
        self.engine.mem_map(SYSTEM_CONTROL_SPACE, 0x1000)
        end = board.flash_origin + budget.flash_bytes
        for segment in self.image.segments:
            if segment.data and not board.flash_origin <= segment.load <= end - len(segment.data):
                raise ToolError(
                    f"{self.image.path.name}: {len(segment.data)} bytes at 0x{segment.load:08x} lie outside "
                    f"the {budget.flash_bytes} bytes of flash at 0x{board.flash_origin:08x}"
                )
            if segment.data:
                self.engine.mem_write(segment.load, segment.data)
        self.flash_origin = board.flash_origin

    def start(self) -> None:
        """From reset to exit."""
        stack, reset = self._words(self.flash_origin, 2)
        self.engine.reg_write(UC_ARM_REG_SP, stack)
        self.run(reset | 1)

    def _words(self, address: int, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}I", bytes(self.engine.mem_read(address, 4 * count)))

    def _interrupt(self, engine: Uc, number: int, _user: Any) -> None:
        pc = engine.reg_read(UC_ARM_REG_PC)
        if number != BREAKPOINT or bytes(engine.mem_read(pc, 2)) != SEMIHOSTING:
            self.stop(faulted(self.request, NAME, f"processor exception {number} at {self.where()}"))
            return
        self.attempt(lambda: self._semihost(pc))

    def _semihost(self, pc: int) -> None:
        operation = self.engine.reg_read(UC_ARM_REG_R0)
        argument = self.engine.reg_read(UC_ARM_REG_R1)
        if operation == SYS_EXIT_EXTENDED:
            self.exit_code = self._words(argument, 2)[1]
            self.stop()
            return
        actions = {
            SYS_OPEN: self._open,
            SYS_READ: self._read,
            SYS_WRITE: self._write,
            SYS_WRITE0: self._print,
        }
        if operation not in actions:
            self.stop(
                faulted(self.request, NAME, f"unknown semihosting operation {operation} at {self.where()}")
            )
            return
        self.engine.reg_write(UC_ARM_REG_R0, actions[operation](argument))
        self.engine.reg_write(UC_ARM_REG_PC, (pc + 2) | 1)

    def _open(self, argument: int) -> int:
        name, _mode, length = self._words(argument, 3)
        return FILES.get(bytes(self.engine.mem_read(name, length)), FAILED)

    def _read(self, argument: int) -> int:
        handle, address, size = self._words(argument, 3)
        if handle != VECTORS:
            return size
        data = self.take_input(size)
        self.engine.mem_write(address, data)
        return size - len(data)

    def _write(self, argument: int) -> int:
        handle, address, size = self._words(argument, 3)
        if handle != RESULTS:
            return size
        self.results += self.engine.mem_read(address, size)
        return 0

    def _print(self, argument: int) -> int:
        while byte := self.engine.mem_read(argument, 1)[0]:
            self.console.append(byte)
            argument += 1
        return 0


def profile_of(image: ElfImage, blocks: list[Block], decode: ThumbDecoder) -> Profile:
    """Counts and modelled cycles of one invocation."""
    counts = without_harness(expand(blocks, decode), image)
    return Profile(image, with_cycles(counts, decode))


class UnicornM4:
    """Semihosting files are kept in memory; nothing is written to disk."""

    def run(self, request: RunRequest) -> RunResult:
        image = load_elf(request.image)
        machine = CortexM4(image, request)
        machine.start()
        decode = ThumbDecoder(image)
        profiles = tuple(profile_of(image, blocks, decode) for blocks in machine.invocations)
        return RunResult(
            emulator=NAME,
            exit_code=machine.exit_code or 0,
            results=bytes(machine.results),
            console=machine.console.decode("utf-8", "replace"),
            stack_bytes=machine.stack_used,
            invoke_stack_bytes=machine.invoke_stack_used,
            instructions=tuple(p.instructions for p in profiles) if request.count else None,
            cycles=tuple(p.cycles or 0 for p in profiles) if request.count else None,
            profiles=profiles,
            layers=tuple(
                layer_costs(stretches, image, lambda i, blocks: profile_of(i, blocks, decode))
                for stretches in machine.stretches
            ),
        )


EMULATOR = UnicornM4()
