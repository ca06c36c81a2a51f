"""A static Linux program on a Cortex-A53 in unicorn: its segments, a stack, and three system calls."""

from __future__ import annotations

from typing import Any

from unicorn import (
    UC_ARCH_ARM64,
    UC_HOOK_INTR,
    UC_MODE_ARM,
    UC_PROT_EXEC,
    UC_PROT_READ,
    UC_PROT_WRITE,
    Uc,
)
from unicorn.arm64_const import (
    UC_ARM64_REG_CPACR_EL1,
    UC_ARM64_REG_PC,
    UC_ARM64_REG_SP,
    UC_ARM64_REG_X0,
    UC_ARM64_REG_X1,
    UC_ARM64_REG_X2,
    UC_ARM64_REG_X8,
    UC_CPU_ARM64_A53,
)

from edgegen.emulate.blocks import Block
from edgegen.emulate.decode import Aarch64Instruction
from edgegen.emulate.image import ElfImage, load_elf
from edgegen.emulate.profile import Profile, expand, layer_costs, without_harness
from edgegen.emulate.run import RunRequest, RunResult, faulted
from edgegen.emulate.unicorn_core import NAME, PAGE, PAINT, Machine, page_up
from edgegen.errors import ToolError

STACK_BOTTOM = 0x7F0000000000
STARTUP_BYTES = 64  # argument count, arguments, environment and auxiliary vector: all empty
FLOATING_POINT_ON = 3 << 20
SUPERVISOR_CALL = 2  # unicorn's interrupt number
NR_READ, NR_WRITE, NR_EXIT = 63, 64, 93
STDIN, STDOUT, STDERR = 0, 1, 2
BAD_FILE = -9 & 0xFFFFFFFFFFFFFFFF  # EBADF
NO_SUCH_CALL = -38 & 0xFFFFFFFFFFFFFFFF  # ENOSYS


class CortexA53(Machine):
    """One process without a kernel."""

    def __init__(self, image: ElfImage, request: RunRequest) -> None:
        engine = Uc(UC_ARCH_ARM64, UC_MODE_ARM)
        engine.ctl_set_cpu_model(UC_CPU_ARM64_A53)
        super().__init__(
            engine, image, request, pc=UC_ARM64_REG_PC, sp=UC_ARM64_REG_SP, argument=UC_ARM64_REG_X0
        )
        self._check_budget()
        self._map_segments()
        stack = page_up(request.target.budget.stack_bytes)
        self.stack_bottom, self.stack_top = STACK_BOTTOM, STACK_BOTTOM + stack - STARTUP_BYTES
        self.map(STACK_BOTTOM, stack, UC_PROT_READ | UC_PROT_WRITE, PAINT)
        engine.mem_write(self.stack_top, bytes(STARTUP_BYTES))
        engine.hook_add(UC_HOOK_INTR, self._interrupt)
        self.watch_marks()

    def _check_budget(self) -> None:
        budget = self.request.target.budget
        needed = sum(segment.memory_bytes for segment in self.image.segments) + budget.stack_bytes
        if needed > budget.ram_bytes:
            raise ToolError(
                f"{self.image.path.name} and its stack take {needed} bytes, the budget is {budget.ram_bytes}"
            )

    def _map_segments(self) -> None:
        """Segments may share a page, as under Linux; it then has the rights of both."""
        rights: dict[int, int] = {}
        for segment in self.image.segments:
            flags = UC_PROT_READ | UC_PROT_WRITE * segment.writable | UC_PROT_EXEC * segment.executable
            first = segment.address // PAGE * PAGE
            for page in range(first, page_up(segment.address + segment.memory_bytes), PAGE):
                rights[page] = rights.get(page, 0) | flags
        for page, flags in rights.items():
            self.engine.mem_map(page, PAGE, flags)
        for segment in self.image.segments:
            self.engine.mem_write(segment.address, segment.data)
        last = max(self.image.segments, key=lambda segment: segment.address)
        end = last.address + last.memory_bytes
        self.guard(end, page_up(end))

    def start(self) -> None:
        """From the entry point to exit."""
        access = self.engine.reg_read(UC_ARM64_REG_CPACR_EL1)
        self.engine.reg_write(UC_ARM64_REG_CPACR_EL1, access | FLOATING_POINT_ON)
        self.engine.reg_write(UC_ARM64_REG_SP, self.stack_top)
        self.run(self.image.entry)

    def _interrupt(self, _engine: Uc, number: int, _user: Any) -> None:
        if number != SUPERVISOR_CALL:
            self.stop(faulted(self.request, NAME, f"processor exception {number} at {self.where()}"))
            return
        self.attempt(self._system_call)

    def _system_call(self) -> None:
        read = self.engine.reg_read
        call = read(UC_ARM64_REG_X8)
        file, address, size = read(UC_ARM64_REG_X0), read(UC_ARM64_REG_X1), read(UC_ARM64_REG_X2)
        if call == NR_EXIT:
            self.exit_code = file & 0xFF
            self.stop()
            return
        self.engine.reg_write(UC_ARM64_REG_X0, self._answer(call, file, address, size))

    def _answer(self, call: int, file: int, address: int, size: int) -> int:
        if call == NR_READ and file == STDIN:
            data = self.take_input(size)
            self.engine.mem_write(address, data)
            return len(data)
        if call == NR_WRITE and file in (STDOUT, STDERR):
            sink = self.results if file == STDOUT else self.console
            sink += self.engine.mem_read(address, size)
            return size
        return BAD_FILE if call in (NR_READ, NR_WRITE) else NO_SUCH_CALL


def profile_of(image: ElfImage, blocks: list[Block]) -> Profile:
    """Counts of one invocation; there is no timing model of this processor."""
    return Profile(image, without_harness(expand(blocks, Aarch64Instruction), image))


class UnicornA53:
    """Standard input and output are kept in memory."""

    def run(self, request: RunRequest) -> RunResult:
        image = load_elf(request.image)
        machine = CortexA53(image, request)
        machine.start()
        profiles = tuple(profile_of(image, blocks) for blocks in machine.invocations)
        return RunResult(
            emulator=NAME,
            exit_code=machine.exit_code or 0,
            results=bytes(machine.results),
            console=machine.console.decode("utf-8", "replace"),
            stack_bytes=machine.stack_used,
            invoke_stack_bytes=machine.invoke_stack_used,
            instructions=tuple(p.instructions for p in profiles) if request.count else None,
            profiles=profiles,
            layers=tuple(layer_costs(stretches, image, profile_of) for stretches in machine.stretches),
        )


EMULATOR = UnicornA53()
