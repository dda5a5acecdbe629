"""Activation functions, elementwise and along a dimension.

Most are core's as they are. `inplace=True` writes the result over the input.
"""

from __future__ import annotations

import warnings
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops
from flambeau_core.nn_ops import (
    celu_,
    elu_,
    gelu,
    glu,
    hardshrink,
    hardsigmoid,
    hardswish,
    hardtanh,
    leaky_relu_,
    logsigmoid,
    mish,
    prelu,
    relu6,
    relu_,
    rrelu_,
    selu_,
    sigmoid,
    softplus,
    softshrink,
    softsign,
    tanh,
    tanhshrink,
    threshold,
    threshold_,
)

__all__ = [
    "celu",
    "celu_",
    "elu",
    "elu_",
    "gelu",
    "glu",
    "gumbel_softmax",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "hardtanh_",
    "leaky_relu",
    "leaky_relu_",
    "log_softmax",
    "logsigmoid",
    "mish",
    "prelu",
    "relu",
    "relu6",
    "relu_",
    "rrelu",
    "rrelu_",
    "selu",
    "selu_",
    "sigmoid",
    "silu",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "tanh",
    "tanhshrink",
    "threshold",
    "threshold_",
]

_relu = nn_ops.relu
_celu = nn_ops.celu
_selu = nn_ops.selu
_silu = nn_ops.silu
_silu_ = nn_ops.silu_
_leaky_relu = nn_ops.leaky_relu
_elu = nn_ops.elu
_softmax = nn_ops.softmax
_log_softmax = nn_ops.log_softmax


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(0, x), elementwise."""
    return relu_(input) if inplace else _relu(input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x), also known as swish; Elfwing et al., 2018."""
    return nn_ops.silu_(input) if inplace else _silu(input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where positive, else negative_slope * x."""
    if inplace:
        return leaky_relu_(input, negative_slope)
    return _leaky_relu(input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, else alpha * (exp(x) - 1); Clevert et al., 2016."""
    return elu_(input, alpha) if inplace else _elu(input, alpha)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, else alpha * (exp(x / alpha) - 1); Barron, 2017."""
    return celu_(input, alpha) if inplace else nn_ops.celu(input, alpha)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu` scaled so that activations keep mean 0 and variance 1; Klambauer et al., 2017."""
    return selu_(input) if inplace else nn_ops.selu(input)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Leaky ReLU whose slope is drawn from U(lower, upper) in training and is the mean else."""
    if inplace:
        return rrelu_(input, lower, upper, training)
    return nn_ops.rrelu(input, lower, upper, training)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh` in place."""
    return hardtanh(input, min_val, max_val, inplace=True)


def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, computed and returned in `dtype` where it is given."""
    if dim is None:
        dim = _implicit_dim("softmax", input.dim(), _stacklevel)
    return _softmax(input, dim, dtype)


def softmin(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """softmax(-x) along `dim`."""
    if dim is None:
        dim = _implicit_dim("softmin", input.dim(), _stacklevel)
    return _softmax(-input, dim, dtype)


def log_softmax(
    input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None
) -> Tensor:
    """log(softmax(x)) along `dim`, computed in one step without overflow."""
    if dim is None:
        dim = _implicit_dim("log_softmax", input.dim(), _stacklevel)
    return _log_softmax(input, dim, dtype)


def _implicit_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension that the early PyTorch versions chose when none was given."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """A sample of the Gumbel-softmax distribution along `dim`; Jang et al., 2016.

    With `hard` the result is one-hot and its gradient that of the soft sample.
    """
    tiny = fb.finfo(logits.dtype).tiny
    uniform = fb.empty_like(logits, requires_grad=False).uniform_(tiny, 1)
    soft = _softmax((logits - (-uniform.log()).log()) / tau, dim)
    if not hard:
        return soft
    index = soft.max(dim, keepdim=True)[1]
    one_hot = fb.zeros_like(logits, requires_grad=False).scatter_(dim, index, 1.0)
    return one_hot - soft.detach() + soft
