"""The eager front end: tensors with a tape, modules, optimisers, data, training and weights.

import numpy as np
from edgegen.frontend import Tensor, nn, optim

layer = nn.Linear(4, 2, rng=np.random.default_rng(0))
loss = (layer(np.ones((1, 4), np.float32)) ** 2).sum()
loss.backward()
optim.SGD(layer.parameters(), lr=0.1).step()
"""

from edgegen.frontend.tensor import Buffer, Parameter, Tensor  # isort: skip  before what imports it
from edgegen.frontend import data, functional, metrics, nn, optim, weights
from edgegen.frontend.evaluation import Evaluation, evaluate
from edgegen.frontend.gradcheck import gradcheck
from edgegen.frontend.mode import SourceLine, no_grad, tracing
from edgegen.frontend.tape import BackwardStep, Record, Tape, backward_steps, tape
from edgegen.frontend.trace import Trace, trace
from edgegen.frontend.trainer import Callback, EarlyStopping, EpochRecord, StepRecord, Trainer

__all__ = [
    "BackwardStep",
    "Buffer",
    "Callback",
    "EarlyStopping",
    "EpochRecord",
    "Evaluation",
    "Parameter",
    "Record",
    "SourceLine",
    "StepRecord",
    "Tape",
    "Tensor",
    "Trace",
    "Trainer",
    "backward_steps",
    "data",
    "evaluate",
    "functional",
    "gradcheck",
    "metrics",
    "nn",
    "no_grad",
    "optim",
    "tape",
    "trace",
    "tracing",
    "weights",
]
