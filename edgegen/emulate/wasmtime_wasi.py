"""A WASI command in wasmtime: memory limited to the budget, fuel as an exactly repeatable count."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import wasmtime

from edgegen.emulate import wasm_module
from edgegen.emulate.run import RunRequest, RunResult, faulted, timed_out
from edgegen.errors import MismatchError, ToolError

NAME = "wasmtime"
PAINT = 0xA5
UNLIMITED_FUEL = 1 << 62


class WasmtimeWasi:
    """Standard input and output go through files in a temporary folder."""

    def run(self, request: RunRequest) -> RunResult:
        module = wasm_module.read(request.image)
        with tempfile.TemporaryDirectory() as name:
            session = Session(request, Path(name))
            try:
                exit_code = session.run_command(module.stack_bytes if module.stack_first else 0)
                results = session.results.read_bytes()
                console = session.console.read_text(encoding="utf-8", errors="replace")
                instructions = count_invocations(session, request) if request.count else None
            finally:
                session.close()
        return RunResult(
            emulator=NAME,
            exit_code=exit_code,
            results=results,
            console=console,
            stack_bytes=session.stack_used if module.stack_first else None,
            instructions=instructions,
        )


class Session:
    """One compiled module and the files of its standard streams."""

    def __init__(self, request: RunRequest, folder: Path) -> None:
        self.request = request
        self.vectors, self.results, self.console = (
            folder / name for name in ("vectors", "results", "console")
        )
        self.vectors.write_bytes(request.vectors)
        self.stack_used: int | None = None
        config = wasmtime.Config()
        config.epoch_interruption = True
        config.consume_fuel = request.count
        self._engine = wasmtime.Engine(config)
        self._linker = wasmtime.Linker(self._engine)
        self._linker.define_wasi()
        try:
            self._module = wasmtime.Module.from_file(self._engine, str(request.image))
        except wasmtime.WasmtimeError as problem:
            raise ToolError(f"wasmtime refuses {request.image}: {_first_line(problem)}") from problem
        self._stores: list[wasmtime.Store] = []

    def close(self) -> None:
        """Release the files; Windows cannot remove them before."""
        for store in self._stores:
            store.close()

    def instance(self) -> tuple[wasmtime.Store, Any]:
        """A fresh instance with the budget's memory."""
        store = wasmtime.Store(self._engine)
        self._stores.append(store)
        store.set_limits(memory_size=self.request.target.budget.memory_bytes)
        store.set_epoch_deadline(1)
        if self.request.count:
            store.set_fuel(UNLIMITED_FUEL)
        wasi = wasmtime.WasiConfig()
        wasi.stdin_file, wasi.stdout_file, wasi.stderr_file = self.vectors, self.results, self.console
        store.set_wasi(wasi)
        try:
            return store, self._linker.instantiate(store, self._module).exports(store)
        except wasmtime.WasmtimeError as problem:
            raise faulted(self.request, NAME, f"cannot start: {_first_line(problem)}") from problem

    def run_command(self, paintable_stack: int) -> int:
        """`_start` to its end; returns the exit code."""
        store, exports = self.instance()
        memory = exports["memory"]
        memory.write(store, bytes([PAINT]) * paintable_stack, 0)
        exit_code = 0
        with self.guarded():
            try:
                exports["_start"](store)
            except wasmtime.ExitTrap as ending:
                exit_code = ending.code
        stack = bytes(memory.read(store, 0, paintable_stack))
        self.stack_used = len(stack.lstrip(bytes([PAINT])))
        return exit_code

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Turns traps into named errors, and ends what runs too long."""
        timer = threading.Timer(self.request.timeout_s, self._engine.increment_epoch)
        timer.start()
        try:
            yield
        except wasmtime.Trap as trap:
            raise self._named(trap) from trap
        finally:
            timer.cancel()

    def _named(self, trap: wasmtime.Trap) -> MismatchError:
        if trap.trap_code == wasmtime.TrapCode.INTERRUPT:
            return timed_out(self.request, NAME)
        frames = [frame.func_name or f"function[{frame.func_index}]" for frame in trap.frames]
        where = f" in {' <- '.join(frames[:4])}" if frames else ""
        reason = trap.trap_code.name.lower().replace("_", " ") if trap.trap_code else _first_line(trap)
        return faulted(self.request, NAME, f"{reason}{where}")


def count_invocations(session: Session, request: RunRequest) -> tuple[int, ...]:
    """Fuel of the model for each vector, about one unit an instruction. A handful are the call itself."""
    store, exports = session.instance()
    memory = exports["memory"]
    address, size = exports["harness_input_address"](store), exports["harness_input_bytes"](store)
    spent = []
    with session.guarded():
        for at in range(0, len(request.vectors) - size + 1, size):
            memory.write(store, request.vectors[at : at + size], address)
            exports["harness_restart"](store)
            before = store.get_fuel()
            exports["harness_invoke"](store)
            spent.append(before - store.get_fuel())
    return tuple(spent)


def _first_line(problem: Exception) -> str:
    return str(problem).splitlines()[0]


EMULATOR = WasmtimeWasi()
