"""Modules: layers with parameters, and how they combine."""

from edgegen.frontend.nn import init
from edgegen.frontend.nn.containers import Residual, Sequential
from edgegen.frontend.nn.layers import BatchNorm2d, Conv2d, ConvTranspose2d, Dropout, Linear, PReLU
from edgegen.frontend.nn.module import Module
from edgegen.frontend.nn.norms import BatchNorm1d, LayerNorm, RMSNorm
from edgegen.frontend.nn.sequences import GRU, LSTM, Conv1d, MultiHeadAttention
from edgegen.frontend.nn.stateless import (
    ELU,
    GELU,
    AvgPool2d,
    Flatten,
    GlobalAvgPool,
    HardSigmoid,
    HardSwish,
    Identity,
    LeakyReLU,
    MaxPool2d,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Tanh,
    Upsample,
)

__all__ = [
    "ELU",
    "GELU",
    "GRU",
    "LSTM",
    "AvgPool2d",
    "BatchNorm1d",
    "BatchNorm2d",
    "Conv1d",
    "Conv2d",
    "ConvTranspose2d",
    "Dropout",
    "Flatten",
    "GlobalAvgPool",
    "HardSigmoid",
    "HardSwish",
    "Identity",
    "LayerNorm",
    "LeakyReLU",
    "Linear",
    "MaxPool2d",
    "Module",
    "MultiHeadAttention",
    "PReLU",
    "RMSNorm",
    "ReLU",
    "ReLU6",
    "Residual",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "Softmax",
    "Tanh",
    "Upsample",
    "init",
]
