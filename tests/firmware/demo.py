"""A project of an emitted shape around a hand-written model, to test targets without the emitter."""

from __future__ import annotations

import shutil
from pathlib import Path

import jinja2

import edgegen
from edgegen.codegen.toolchain import run_pio
from edgegen.targets import Target, project_files

TEMPLATE = Path(edgegen.__file__).parent / "templates" / "platformio.ini.j2"
INPUT_SIZE = 16
OUTPUT_SIZE = 4
WEIGHTS = (1, 2, 3, 4, -5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7)

HEADER = """\
#ifndef DEMO_H
#define DEMO_H
#include <stdint.h>
int demo_invoke(const int8_t *in, int8_t *out);
void demo_reset_state(void);
void demo_trace(int32_t layer, const void *data, int32_t bytes);
#endif
"""

CONFIG = """\
#include "demo.h"
#define HARNESS_INPUT_SIZE 16
#define HARNESS_OUTPUT_SIZE 4
#define HARNESS_INVOKE(in, out) demo_invoke((in), (out))
#define HARNESS_RESET() demo_reset_state()
#if defined(DEMO_TRACE)
#define HARNESS_TRACE demo_trace
#endif
"""

# A loop, a memset, a scratch array in RAM and constants in flash.
MODEL = """\
#include "demo.h"
#include <string.h>
static int32_t sums[16];
static const int8_t weights[16] = {1, 2, 3, 4, -5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7};
void demo_reset_state(void)
{
}
int demo_invoke(const int8_t *in, int8_t *out)
{
    memset(sums, 0, sizeof sums);
    for (int i = 0; i < 16; i++) {
        for (int j = 0; j < 16; j++) {
            sums[i] += in[j] * weights[(i + j) & 15];
        }
    }
#if defined(DEMO_TRACE)
    demo_trace(0, sums, (int32_t)sizeof sums);
#endif
    for (int i = 0; i < 4; i++) {
        const int32_t value = sums[i] / 16;
        out[i] = (int8_t)(value > 127 ? 127 : value < -128 ? -128 : value);
    }
    return 0;
}
"""


def expected_sums(vector: bytes) -> list[int]:
    """The layer that MODEL traces."""
    signed = [byte - 256 if byte > 127 else byte for byte in vector]
    return [sum(value * WEIGHTS[(i + j) & 15] for j, value in enumerate(signed)) for i in range(16)]


def expected_output(vectors: bytes) -> bytes:
    """What MODEL computes, in Python."""
    out = bytearray()
    for at in range(0, len(vectors), INPUT_SIZE):
        sums = expected_sums(vectors[at : at + INPUT_SIZE])[:OUTPUT_SIZE]
        out += bytes(max(-128, min(127, int(value / 16))) & 255 for value in sums)
    return bytes(out)


def write_project(folder: Path, target: Target, *, model: str = MODEL) -> Path:
    """A complete project in a folder; returns the folder."""
    for place, source in project_files(target).items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, folder / place)
    library = folder / "lib" / "demo"
    (library / "src").mkdir(parents=True)
    (library / "library.json").write_text(
        '{"name": "demo", "version": "1.0.0", "frameworks": "*", "platforms": "*", '
        '"build": {"libLDFMode": "off"}}',
        encoding="utf-8",
    )
    (library / "src" / "demo.h").write_text(HEADER, encoding="utf-8")
    (library / "src" / "demo.c").write_text(model, encoding="utf-8")
    (folder / "src" / "harness_config.h").write_text(CONFIG, encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    settings = template.render(target=target, model="demo", trace_define="DEMO_TRACE")
    (folder / "platformio.ini").write_text(settings, encoding="utf-8")
    return folder


def image_of(project: Path, target: Target, *, environment: str | None = None) -> Path:
    """Where the build leaves the image."""
    return project / ".pio" / "build" / (environment or target.name) / target.image_name


def build_demo(
    folder: Path, target: Target, *, model: str = MODEL, compiler: str = "zig", trace: bool = False
) -> Path:
    """Write and build a project; returns the image."""
    environment = f"{target.name}-trace" if trace else target.name
    write_project(folder, target, model=model)
    run_pio(folder, environment, compiler=compiler)
    return image_of(folder, target, environment=environment)
