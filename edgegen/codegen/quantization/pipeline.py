"""From an eager module, or a float graph, to an int8 graph: freeze, fold, fuse, calibrate, quantise."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from edgegen.codegen import passes
from edgegen.codegen.graph import Array, Graph
from edgegen.codegen.passes.dead_code import RemoveDeadCode, RemoveIdentities
from edgegen.codegen.passes.fold_constants import FoldConstants
from edgegen.codegen.passes.fold_scales import FoldChannelScales
from edgegen.codegen.passes.fuse_activations import FuseActivations
from edgegen.codegen.passes.fuse_padding import FusePadding
from edgegen.codegen.quantization.options import QuantizeOptions
from edgegen.codegen.quantization.quantize import QuantizedModel, quantize_graph
from edgegen.frontend.freeze import freeze
from edgegen.frontend.nn import Module

FLOAT_PASSES: tuple[passes.Pass, ...] = (
    RemoveDeadCode(),
    FoldConstants(),
    RemoveIdentities(),
    FoldChannelScales(),
    FusePadding(),
    FuseActivations(),
)


def quantize_module(
    module: Module, calibration: Array, *, name: str, options: QuantizeOptions | None = None
) -> QuantizedModel:
    """The int8 graph of a module of one input; `calibration` is (V, ...) without a batch axis."""
    samples = np.asarray(calibration)
    shape = samples.shape[1:] if samples.ndim > 1 else (1,)
    sample = samples[:1] if len(samples) else np.zeros((1, *shape), np.float32)
    graph = freeze(module, np.asarray(sample, np.float32), name=name)
    return quantize_float_graph(graph, samples, options=options)


def quantize_float_graph(
    graph: Graph, calibration: Array | Sequence[Array], *, options: QuantizeOptions | None = None
) -> QuantizedModel:
    """The int8 graph of a float graph, by its calibration data."""
    return quantize_graph(passes.run(graph, FLOAT_PASSES), calibration, options=options)
