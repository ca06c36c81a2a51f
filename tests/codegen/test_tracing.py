"""Traces: which layer differs first, in words."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.codegen.assembly import layer_records
from edgegen.codegen.graph import Array
from edgegen.codegen.lower import lower
from edgegen.codegen.plan import plan_memory
from edgegen.codegen.reference import Reference
from edgegen.codegen.tampering import changed_constants
from edgegen.codegen.tracing import TraceLayout
from edgegen.codegen.vectors import draw_vectors
from edgegen.errors import UsageError
from tests.codegen.models import cnn, stateful


def layout_and_rows() -> tuple[TraceLayout, Array]:
    graph = cnn()
    lowered = lower(graph)
    layers = layer_records(lowered, plan_memory(lowered, alignment=4))
    layout = TraceLayout(graph, layers)
    return layout, layout.expected(Reference(graph).run(draw_vectors(graph, 9, seed=0), keep=True).tensors)


def test_equal_traces() -> None:
    layout, rows = layout_and_rows()
    assert rows.shape == (9, layout.bytes)
    assert layout.difference(rows.tobytes(), rows) is None


def test_the_first_layer_counts_whatever_the_vector() -> None:
    layout, rows = layout_and_rows()
    stem, skip = 8 + 5, 8 + 144 + 8 + 144 + 8 + 3
    wrong = rows.copy()
    wrong[0, skip] ^= 1
    wrong[4, stem] ^= 1
    wrong[6, stem + 1] ^= 1
    words = layout.difference(wrong.tobytes(), rows)
    assert words is not None
    assert "0 conv2d 'stem'" in words
    assert "in vector 4: 1 of 144 elements differ, the first is element 5" in words
    assert f"expected {rows[4, stem].view(np.int8)}, got {wrong[4, stem].view(np.int8)}" in words


def test_only_the_returned_output_differs() -> None:
    layout, rows = layout_and_rows()
    wrong = rows.copy()
    wrong[2, -1] ^= 1
    words = layout.difference(wrong.tobytes(), rows)
    assert words is not None
    assert "every layer agrees and only what is returned differs" in words


def test_truncated_and_misnumbered_traces() -> None:
    layout, rows = layout_and_rows()
    assert "bytes instead of" in str(layout.difference(rows.tobytes()[:-1], rows))
    wrong = rows.copy()
    wrong[:, 0] = 7
    assert "other layers than the manifest" in str(layout.difference(wrong.tobytes(), rows))


def test_layers_of_another_model() -> None:
    lowered = lower(cnn())
    layers = layer_records(lowered, plan_memory(lowered, alignment=4))
    with pytest.raises(UsageError, match="none of this model"):
        TraceLayout(stateful(), layers)


def test_changed_numbers_are_named_with_line_and_layer(tmp_path) -> None:  # type: ignore[no-untyped-def]
    fresh = "/* conv2d stem: weights */\nconst int8_t w[3] = {\n    1, -2, 3,\n};\n"
    cases = {
        fresh: [],
        fresh.replace(" ", "  ").replace("/* conv2d stem: weights */", "/* mine */"): [],
        fresh.replace("-2", "-3"): ["w.c line 3 (conv2d stem: weights): expected -2, got -3"],
        fresh.replace("3,", "3, 4,"): ["w.c line 3 (conv2d stem: weights): expected }, got 4"],
        fresh[:43]: ["w.c is cut off before ] (conv2d stem: weights)"],
        fresh + "x": ["w.c line 5 has more than edgegen wrote: x"],
    }
    for text, expected in cases.items():
        (tmp_path / "w.c").write_text(text)
        assert changed_constants(tmp_path, {"w.c": fresh}) == expected
