"""The commands. Heavy modules are imported inside them, so that `--help` is quick."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from edgegen.cli.console import Output
from edgegen.cli.project_commands import new, train
from edgegen.cli.record_commands import record

app = typer.Typer(
    name="edgegen",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Train small neural networks in Python, emit int8 C firmware, and prove by emulation that both "
    "compute the same bytes.\n\nExit status: 0 done, 1 defect of edgegen, 2 usage, 3 model, 4 budget, "
    "5 tool failed, 6 mismatch, 130 interrupted.",
)

Model = Annotated[
    str | None,
    typer.Argument(
        help="A .tflite file, a folder with an edgegen.toml, that file, or a .py file. "
        "Without it: ./edgegen.toml, else the bundled example.",
        show_default=False,
    ),
]
TargetName = Annotated[str, typer.Option("--target", "-t", help="A target of `edgegen targets`, or `all`.")]
OutputFolder = Annotated[Path, typer.Option("--output", "-o", help="Folder of the emitted projects.")]
Compiler = Annotated[str, typer.Option(help="zig (from pip) or gcc (on PATH).")]
Emulator = Annotated[
    str | None, typer.Option(help="Emulator of the target; see `edgegen targets`.", show_default=False)
]
Flash = Annotated[str | None, typer.Option(help="Flash budget, as 256K.", show_default=False)]
Ram = Annotated[str | None, typer.Option(help="RAM budget, as 64K.", show_default=False)]
Stack = Annotated[str | None, typer.Option(help="Stack budget, as 4K; part of RAM.", show_default=False)]
Board = Annotated[str | None, typer.Option(help="A board of the target.", show_default=False)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on standard output.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Say what is being done.")]
Calibration = Annotated[
    Path | None,
    typer.Option(help="Typical inputs (.npy, .npz), which quantise a float .tflite.", show_default=False),
]
Mode = Annotated[str, typer.Option("--optimize", help="balanced, speed, size or ram.")]


app.command()(new)
app.command()(train)
app.add_typer(record, name="record")


@app.callback()
def common() -> None:
    """Options that stand before a command: none but --help."""


@app.command()
def build(
    model: Model = None,
    target: TargetName = "cortex-m4",
    output: OutputFolder = Path("build"),
    flash: Flash = None,
    ram: Ram = None,
    stack: Stack = None,
    board: Board = None,
    optimize: Mode = "balanced",
    calibration: Calibration = None,
    compiler: Compiler = "zig",
    keep_constant_channels: Annotated[
        bool, typer.Option(help="Compute channels that can hold one value only.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Build firmware: quantise, emit C, compile, check the budget, prove in an emulator.

    Examples: `edgegen build --target cortex-m4` · `edgegen build model.tflite -t all --flash 256K --ram 64K`
    """
    from edgegen.cli.building import run_build
    from edgegen.codegen.build import BuildOptions

    options = BuildOptions(
        mode=optimize,
        compiler=compiler,
        remove_constant_channels=not keep_constant_channels,
        verbose=verbose,
    )
    run_build(
        model,
        target,
        output,
        budgets=(flash, ram, stack),
        board=board,
        options=options,
        calibration=calibration,
        show=Output(json=as_json, quiet=quiet, verbose=verbose),
    )


@app.command()
def verify(
    model: Model = None,
    target: TargetName = "cortex-m4",
    output: OutputFolder = Path("build"),
    emulator: Emulator = None,
    compiler: Compiler = "zig",
    vectors: Annotated[
        int | None, typer.Option(min=1, help="Vectors to compare.", show_default="by the model's size")
    ] = None,
    against: Annotated[
        str | None, typer.Option(help="Another runtime to compare with: tflm or litert.", show_default=False)
    ] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds that an emulator may take.")] = 900.0,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Prove, byte by byte, that reference, host C and emulated image agree: the project as it stands.

    Examples: `edgegen verify --target all` · `edgegen verify model.tflite -t cortex-m4 --against tflm`
    """
    from edgegen.cli.proving import run_verify
    from edgegen.codegen.verify import VerifySettings

    run_verify(
        model,
        target,
        output,
        settings=VerifySettings(emulator=emulator, compiler=compiler, vectors=vectors, timeout_s=timeout),
        against=against,
        show=Output(json=as_json, quiet=quiet, verbose=verbose),
    )


@app.command()
def run(
    model: Model = None,
    target: Annotated[
        str, typer.Option("--target", "-t", help="reference, host-c, or a target of `edgegen targets`.")
    ] = "reference",
    input_file: Annotated[
        Path, typer.Option("--input", "-i", help="Vectors: .npy, .npz (arrays by input name) or raw bytes.")
    ] = ...,  # type: ignore[assignment]
    output_file: Annotated[
        Path, typer.Option("--output", "-o", help="Where the outputs go: .npy, .npz or raw bytes.")
    ] = ...,  # type: ignore[assignment]
    build_folder: Annotated[Path, typer.Option("--build", help="Folder of the emitted projects.")] = Path(
        "build"
    ),
    emulator: Emulator = None,
    compiler: Compiler = "zig",
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Feed vectors to the reference, the host C or the emulated image, and write exactly what comes back.

    Example: `edgegen run model.tflite -t cortex-m4 --input x.npy --output y.npy`
    """
    from edgegen.cli.running import run_vectors

    run_vectors(
        model,
        target,
        input_file,
        output_file,
        build_folder=build_folder,
        emulator=emulator,
        compiler=compiler,
        show=Output(quiet=quiet, verbose=verbose),
    )


@app.command(name="eval")
def evaluate(
    model: Model = None, as_json: Json = False, quiet: Quiet = False, verbose: Verbose = False
) -> None:
    """Accuracy of a Python model on its evaluation set, float and int8, and the report of every layer.

    Example: `edgegen eval`
    """
    from edgegen.cli.evaluating import run_eval

    run_eval(model, show=Output(json=as_json, quiet=quiet, verbose=verbose))


@app.command()
def targets(as_json: Json = False) -> None:
    """List the targets with their boards, budgets and emulators."""
    from edgegen.cli.listing import list_all

    list_all(show=Output(json=as_json))


@app.command()
def inspect(
    model: Annotated[Path, typer.Argument(help="A .tflite file.")],
    as_json: Json = False,
) -> None:
    """Show what a .tflite file holds, and what of it cannot be used and why.

    Example: `edgegen inspect model.tflite`
    """
    from edgegen.cli.listing import inspect_file

    inspect_file(model, show=Output(json=as_json))


@app.command()
def export(
    model: Model = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path("model.tflite"),
    file_format: Annotated[str, typer.Option("--format", help="tflite.")] = "tflite",
    calibration: Calibration = None,
    quiet: Quiet = False,
) -> None:
    """Write the quantised model as a .tflite file that TensorFlow Lite Micro and LiteRT load.

    Example: `edgegen export --format tflite --output mnist.tflite`
    """
    from edgegen.cli.exporting import run_export

    run_export(model, output, file_format, show=Output(quiet=quiet), calibration=calibration)


@app.command()
def flash(
    model: Model = None,
    target: TargetName = "cortex-m4",
    output: OutputFolder = Path("build"),
    protocol: Annotated[
        str | None, typer.Option(help="pyocd, openocd or gdb.", show_default="the board's first")
    ] = None,
    port: Annotated[
        str | None, typer.Option(help="Port, probe or HOST:PORT of a GDB server.", show_default=False)
    ] = None,
    board: Board = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Load the built project onto a board, through PlatformIO's upload.

    Example: `edgegen flash --target cortex-m4 --protocol gdb --port localhost:3333`
    """
    from edgegen.cli.flashing import run_flash

    run_flash(
        model,
        target,
        output,
        protocol=protocol,
        port=port,
        board=board,
        show=Output(quiet=quiet, verbose=verbose),
    )


@app.command()
def bench(
    folder: Annotated[
        Path | None,
        typer.Argument(help="A folder of .tflite files, or one.", show_default="the bundled example"),
    ] = None,
    target: TargetName = "cortex-m4",
    mode: Annotated[list[str] | None, typer.Option("--mode", help="balanced, speed, size or ram.")] = None,
    output: OutputFolder = Path("build/bench"),
    history: Annotated[
        Path | None, typer.Option(help="File to append the rows to, with the commit.", show_default=False)
    ] = None,
    compare: Annotated[
        Path | None,
        typer.Option(help="An earlier history; growth of over 1 % fails.", show_default=False),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Measure every model of a folder: instructions, modelled cycles, flash and RAM, each proven bit-exact.

    Example: `edgegen bench models --target cortex-m4 --history benchmarks/history.jsonl`
    """
    from edgegen.cli.benching import run_bench

    run_bench(
        folder,
        target,
        mode or ["balanced"],
        output=output,
        history=history,
        compare=compare,
        show=Output(json=as_json, quiet=quiet, verbose=verbose),
    )


Page = Annotated[
    Path | None, typer.Option("--page", help="An HTML page with the picture.", show_default=False)
]


@app.command()
def profile(
    model: Model = None,
    target: TargetName = "cortex-m4",
    output: OutputFolder = Path("build"),
    mode: Mode = "balanced",
    calibration: Calibration = None,
    compiler: Compiler = "zig",
    flash: Flash = None,
    ram: Ram = None,
    stack: Stack = None,
    page: Page = None,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Count every layer: instructions, modelled cycles, MAC, weights, code, live arena and stack.

    The counts come from emulation, without a byte of code for them in the image; cycles are those of a timing
    model without wait states.

    Example: `edgegen profile model.tflite --target cortex-m4 --page profile.html`
    """
    from edgegen.cli.profiling import run_profile
    from edgegen.codegen.build import BuildOptions

    run_profile(
        model,
        target,
        output,
        budgets=(flash, ram, stack),
        options=BuildOptions(mode=mode, compiler=compiler, verbose=verbose),
        page=page,
        calibration=calibration,
        show=Output(json=as_json, quiet=quiet, verbose=verbose),
    )


@app.command()
def memory(
    model: Model = None,
    target: TargetName = "cortex-m4",
    mode: Mode = "balanced",
    calibration: Calibration = None,
    page: Page = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show the memory plan: every buffer, the step that sets the peak, and what each mode would save.

    Example: `edgegen memory model.tflite --target cortex-m4 --page memory.html`
    """
    from edgegen.cli.profiling import run_memory

    run_memory(
        model,
        target,
        budgets=(None, None, None),
        mode=mode,
        page=page,
        calibration=calibration,
        show=Output(json=as_json, quiet=quiet),
    )


@app.command()
def version() -> None:
    """Print the version."""
    from edgegen import __version__

    typer.echo(__version__)
