"""Functions on tensors. Images are (N, H, W, C), convolution weights (O, KH, KW, C / groups)."""

from edgegen.frontend import tensor as _tensor  # noqa: F401  first: it ends by importing from this package
from edgegen.frontend.functional.activation import dropout, relu, relu6, sigmoid, softmax, tanh
from edgegen.frontend.functional.arithmetic import (
    abs,
    add,
    div,
    exp,
    log,
    maximum,
    minimum,
    mul,
    neg,
    power,
    sqrt,
    sub,
)
from edgegen.frontend.functional.conv import conv2d
from edgegen.frontend.functional.loss import cross_entropy, mse
from edgegen.frontend.functional.matrix import linear, matmul
from edgegen.frontend.functional.norm import batch_norm, batch_norm_training
from edgegen.frontend.functional.pool import avg_pool2d, global_avg_pool, max_pool2d
from edgegen.frontend.functional.reduce import arg_max, mean, reduce_max, sum
from edgegen.frontend.functional.shape import (
    cast,
    concat,
    flatten,
    pad,
    reshape,
    strided_slice,
    transpose,
)

__all__ = [
    "abs",
    "add",
    "arg_max",
    "avg_pool2d",
    "batch_norm",
    "batch_norm_training",
    "cast",
    "concat",
    "conv2d",
    "cross_entropy",
    "div",
    "dropout",
    "exp",
    "flatten",
    "global_avg_pool",
    "linear",
    "log",
    "matmul",
    "max_pool2d",
    "maximum",
    "mean",
    "minimum",
    "mse",
    "mul",
    "neg",
    "pad",
    "power",
    "reduce_max",
    "relu",
    "relu6",
    "reshape",
    "sigmoid",
    "softmax",
    "sqrt",
    "strided_slice",
    "sub",
    "sum",
    "tanh",
    "transpose",
]
