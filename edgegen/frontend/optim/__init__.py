"""Optimisers and learning-rate schedules."""

from edgegen.frontend.optim.adam import Adam
from edgegen.frontend.optim.optimizer import Optimizer, ParameterGroup
from edgegen.frontend.optim.schedule import Schedule, constant, one_cycle
from edgegen.frontend.optim.sgd import SGD

__all__ = ["SGD", "Adam", "Optimizer", "ParameterGroup", "Schedule", "constant", "one_cycle"]
