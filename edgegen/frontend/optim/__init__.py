"""Optimisers, clipping, accumulation, learning-rate schedules and averages of weights."""

from edgegen.frontend.optim.adam import Adam, AdamW
from edgegen.frontend.optim.average import MovingAverage
from edgegen.frontend.optim.clip import clip_norm, clip_value
from edgegen.frontend.optim.optimizer import Optimizer, ParameterGroup
from edgegen.frontend.optim.rmsprop import RMSprop
from edgegen.frontend.optim.schedule import Schedule, constant, cosine, one_cycle, step_decay, warm_up
from edgegen.frontend.optim.sgd import SGD
from edgegen.frontend.optim.updater import Updater

__all__ = [
    "SGD",
    "Adam",
    "AdamW",
    "MovingAverage",
    "Optimizer",
    "ParameterGroup",
    "RMSprop",
    "Schedule",
    "Updater",
    "clip_norm",
    "clip_value",
    "constant",
    "cosine",
    "one_cycle",
    "step_decay",
    "warm_up",
]
