"""What the unicorn emulators share: memory that ends where the budget ends, marks, stack paint, results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unicorn import (
    UC_HOOK_CODE,
    UC_HOOK_MEM_INVALID,
    UC_HOOK_MEM_READ,
    UC_HOOK_MEM_WRITE,
    UC_MEM_FETCH,
    UC_MEM_FETCH_PROT,
    UC_MEM_FETCH_UNMAPPED,
    UC_MEM_WRITE,
    UC_MEM_WRITE_PROT,
    UC_MEM_WRITE_UNMAPPED,
    Uc,
    UcError,
)

from edgegen.emulate.block_counter import BlockCounter, block_counter
from edgegen.emulate.blocks import Block
from edgegen.emulate.image import ElfImage
from edgegen.emulate.layers import OUTSIDE, Stretch, entries_of, parameters_of
from edgegen.emulate.run import RunRequest, faulted, timed_out
from edgegen.errors import EdgegenError

NAME = "unicorn"
PAGE = 4096
PAINT = 0xA5  # what memory holds that nobody has written
MEASURED = 16  # invocations whose own stack is measured: painting costs more than running a small model
WRITES = (UC_MEM_WRITE, UC_MEM_WRITE_PROT, UC_MEM_WRITE_UNMAPPED)
FETCHES = (UC_MEM_FETCH, UC_MEM_FETCH_PROT, UC_MEM_FETCH_UNMAPPED)


def page_up(address: int) -> int:
    """The next page boundary."""
    return (address + PAGE - 1) // PAGE * PAGE


class Machine:
    """An engine with an image in it. Subclasses map memory and answer the program's requests.

    `pc` and `sp` are unicorn's register numbers; the stack is [stack_bottom, stack_top).
    """

    def __init__(
        self, engine: Uc, image: ElfImage, request: RunRequest, *, pc: int, sp: int, argument: int
    ) -> None:
        self.engine = engine
        self.image = image
        self.request = request
        self.input_at = 0
        self.results = bytearray()
        self.console = bytearray()
        self.exit_code: int | None = None
        self.failure: EdgegenError | None = None
        self.stack_bottom = self.stack_top = 0
        self.stack_used = self.invoke_stack_used = 0
        self.invocations: list[list[Block]] = []
        self._sp_at_begin = self._invocations = 0
        self._pc, self._sp, self._argument = pc, sp, argument
        self.stretches: list[list[Stretch]] = []
        self._layer = OUTSIDE
        self._parameters: dict[int, int] = {}
        self._counter: BlockCounter | None = block_counter(engine) if request.count else None
        engine.hook_add(UC_HOOK_MEM_INVALID, self._bad_access)

    def map(self, start: int, size: int, permissions: int, fill: int) -> None:
        """Memory of exactly `size` bytes. Unicorn maps pages, so a hook guards what is left of the last."""
        end = start + size
        self.engine.mem_map(start, page_up(end) - start, permissions)
        self.engine.mem_write(start, bytes([fill]) * (page_up(end) - start))
        self.guard(end, page_up(end))

    def guard(self, start: int, end: int) -> None:
        """Let every access of start <= address < end fail."""
        if start < end:
            kinds = UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE
            self.engine.hook_add(kinds, self._bad_access, None, start, end - 1)

    def watch_marks(self) -> None:
        """Follow the harness into and out of the model."""
        for name, action in (("harness_mark_begin", self._begin), ("harness_mark_end", self._end)):
            address = self.image.address_of(name)
            self.engine.hook_add(UC_HOOK_CODE, action, None, address, address)
        if self.request.layers:
            self._parameters = parameters_of(self.image)
            for address in entries_of(self.image):
                self.engine.hook_add(UC_HOOK_CODE, self._enter, None, address, address)

    def take_input(self, size: int) -> bytes:
        """The next bytes of the vectors, fewer at the end."""
        taken = self.request.vectors[self.input_at : self.input_at + size]
        self.input_at += len(taken)
        return taken

    def run(self, start: int) -> None:
        """Run until the program exits. MismatchError for a fault or a timeout."""
        error: UcError | None = None
        try:
            self.engine.emu_start(start, 0xFFFFFFFE, timeout=int(self.request.timeout_s * 1e6))
        except UcError as problem:
            error = problem
        if self.failure is not None:
            raise self.failure
        if error is not None:
            raise faulted(self.request, NAME, f"{error} at {self.where()}")
        if self.exit_code is None:
            raise timed_out(self.request, NAME, self.where())
        self._note_stack(self.stack_top)

    def where(self) -> str:
        """The program counter, with its function."""
        return self.image.describe(self.engine.reg_read(self._pc))

    def stop(self, failure: EdgegenError | None = None) -> None:
        """End the run; with `failure`, by raising it."""
        self.failure = self.failure or failure
        self.engine.emu_stop()

    def attempt(self, action: Callable[[], None]) -> None:
        """Do what the program asks for; it may pass addresses that are not mapped."""
        try:
            action()
        except UcError as problem:
            self.stop(
                faulted(
                    self.request,
                    NAME,
                    f"bad address in a request to the system ({problem}) at {self.where()}",
                )
            )

    def _bad_access(self, _engine: Uc, access: int, address: int, size: int, value: int, _user: Any) -> bool:
        kind = "write to" if access in WRITES else "fetch from" if access in FETCHES else "read from"
        note = ""
        if self.stack_bottom - PAGE <= address < self.stack_bottom:
            note = ", just below the stack: stack overflow"
        what = f"{kind} 0x{address:08x} ({size} bytes) at {self.where()}{note}"
        self.stop(faulted(self.request, NAME, what))
        return False

    def _stack_in_use(self, top: int) -> int:
        """Bytes between `top` and the deepest one that was written."""
        stack = bytes(self.engine.mem_read(self.stack_bottom, top - self.stack_bottom))
        return len(stack.lstrip(bytes([PAINT])))

    def _note_stack(self, top: int) -> None:
        self.stack_used = max(self.stack_used, self.stack_top - top + self._stack_in_use(top))

    def _begin(self, _engine: Uc, _address: int, _size: int, _user: Any) -> None:
        if self._invocations < MEASURED:
            self._note_stack(self.stack_top)
            self._sp_at_begin = int(self.engine.reg_read(self._sp))
            free = self._sp_at_begin - self.stack_bottom
            self.engine.mem_write(self.stack_bottom, bytes([PAINT]) * free)
        if self._counter is not None:
            self._counter.reset()
        if self.request.layers:
            self.stretches.append([])
            self._layer = OUTSIDE

    def _enter(self, _engine: Uc, _address: int, _size: int, _user: Any) -> None:
        """A function begins: a layer's kernel, if its first argument are a layer's parameters."""
        layer = self._parameters.get(int(self.engine.reg_read(self._argument)))
        if layer is not None and self.stretches:
            self._end_stretch()
            self._layer = layer

    def _end_stretch(self) -> None:
        assert self._counter is not None
        sp = int(self.engine.reg_read(self._sp))
        blocks = tuple(self._counter.blocks())
        self.stretches[-1].append(Stretch(self._layer, blocks, self._stack_in_use(self._sp_at_begin)))
        self.engine.mem_write(self.stack_bottom, bytes([PAINT]) * (sp - self.stack_bottom))
        self._counter.reset()

    def _end(self, _engine: Uc, _address: int, _size: int, _user: Any) -> None:
        if self.request.layers:
            self._end_stretch()
            self.invocations.append([block for s in self.stretches[-1] for block in s.blocks])
        elif self._counter is not None:
            self.invocations.append(self._counter.blocks())
        if self._invocations < MEASURED:
            self.invoke_stack_used = max(self.invoke_stack_used, self._stack_in_use(self._sp_at_begin))
        self._invocations += 1
