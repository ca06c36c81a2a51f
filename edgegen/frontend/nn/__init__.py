"""Modules: layers with parameters, and how they combine."""

from edgegen.frontend.nn.containers import Residual, Sequential
from edgegen.frontend.nn.layers import BatchNorm2d, Conv2d, Dropout, Linear
from edgegen.frontend.nn.module import Module
from edgegen.frontend.nn.stateless import (
    AvgPool2d,
    Flatten,
    GlobalAvgPool,
    Identity,
    MaxPool2d,
    ReLU,
    ReLU6,
    Softmax,
)

__all__ = [
    "AvgPool2d",
    "BatchNorm2d",
    "Conv2d",
    "Dropout",
    "Flatten",
    "GlobalAvgPool",
    "Identity",
    "Linear",
    "MaxPool2d",
    "Module",
    "ReLU",
    "ReLU6",
    "Residual",
    "Sequential",
    "Softmax",
]
