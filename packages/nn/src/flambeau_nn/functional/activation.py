"""Activation functions, elementwise and along a dimension.

The native ones come from core as they are; the others are written over its operators, with
PyTorch's choice of the gradient at the kinks.
"""

from __future__ import annotations

import warnings
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops
from flambeau_core.nn_ops import gelu, relu_, sigmoid, softplus, tanh

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

# Klambauer et al., "Self-Normalizing Neural Networks", 2017.
_SELU_ALPHA = 1.6732632423543772848170429916717
_SELU_SCALE = 1.0507009873554804934193349852946

_relu = nn_ops.relu
_silu = nn_ops.silu
_leaky_relu = nn_ops.leaky_relu
_elu = nn_ops.elu
_softmax = nn_ops.softmax
_log_softmax = nn_ops.log_softmax


def _into(input: Tensor, result: Tensor) -> Tensor:
    """Writes a result over its input, as `inplace=True` asks."""
    return input.copy_(result)


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(0, x), elementwise."""
    return relu_(input) if inplace else _relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(0, x), 6), elementwise."""
    return hardtanh(input, 0.0, 6.0, inplace)


def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """x limited to [min_val, max_val]; the gradient is 0 at both ends."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    low = fb.where(input <= min_val, min_val, input)
    result = fb.where(low >= max_val, max_val, low)
    return _into(input, result) if inplace else result


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh` in place."""
    return hardtanh(input, min_val, max_val, inplace=True)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x where positive, else negative_slope * x."""
    result = _leaky_relu(input, negative_slope)
    return _into(input, result) if inplace else result


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`leaky_relu` in place."""
    return leaky_relu(input, negative_slope, inplace=True)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, else alpha * (exp(x) - 1)."""
    result = _elu(input, alpha)
    return _into(input, result) if inplace else result


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`elu` in place."""
    return elu(input, alpha, inplace=True)


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """The self-normalising scaled ELU of Klambauer et al., 2017."""
    result = _elu(input, _SELU_ALPHA) * _SELU_SCALE
    return _into(input, result) if inplace else result


def selu_(input: Tensor) -> Tensor:
    """`selu` in place."""
    return selu(input, inplace=True)


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x where positive, else alpha * (exp(x / alpha) - 1); smooth for every alpha."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    result = _elu(input / alpha) * alpha
    return _into(input, result) if inplace else result


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`celu` in place."""
    return celu(input, alpha, inplace=True)


def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x where positive, else weight * x.

    `weight` has one element, or one for each channel (dimension 1 of `input`).
    """
    if weight.dim() > 1 and weight.numel() != 1:
        raise RuntimeError(
            f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.dim()}"
        )
    if weight.numel() == 1:
        slope = weight.reshape(())
    else:
        channels = input.size(1) if input.dim() > 1 else 1
        if weight.numel() != channels:
            raise RuntimeError(
                f"Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                f"{weight.numel()} and channel size = {channels}."
            )
        slope = weight.reshape((1, -1) + (1,) * (input.dim() - 2))
    return fb.where(input > 0, input, slope * input)


def rrelu(
    input: Tensor,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Leaky ReLU whose slope is drawn from U(lower, upper) in training and is the mean else.

    Xu et al., "Empirical Evaluation of Rectified Activations in Convolutional Network", 2015.
    """
    if lower > upper:
        raise RuntimeError(
            f"Lower bound should be less than or equal to the upper bound, got {lower} and {upper}"
        )
    if training:
        slope = fb.empty_like(input, requires_grad=False).uniform_(lower, upper)
        result = fb.where(input <= 0, input * slope, input)
    else:
        result = _leaky_relu(input, (lower + upper) / 2)
    return _into(input, result) if inplace else result


def rrelu_(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False
) -> Tensor:
    """`rrelu` in place."""
    return rrelu(input, lower, upper, training, inplace=True)


def logsigmoid(input: Tensor) -> Tensor:
    """log(sigmoid(x)), without overflow."""
    return -softplus(-input)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x), also known as swish."""
    result = _silu(input)
    return _into(input, result) if inplace else result


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * tanh(softplus(x)); Misra, 2019."""
    result = input * tanh(softplus(input))
    return _into(input, result) if inplace else result


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """relu6(x + 3) / 6."""
    result = relu6(input + 3) / 6
    return _into(input, result) if inplace else result


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * relu6(x + 3) / 6; Howard et al., "Searching for MobileNetV3", 2019."""
    result = input * relu6(input + 3) / 6
    return _into(input, result) if inplace else result


def softsign(input: Tensor) -> Tensor:
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


def tanhshrink(input: Tensor) -> Tensor:
    """x - tanh(x)."""
    return input - input.tanh()


def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """0 where |x| <= lambd, else x."""
    return fb.where(input.abs() <= lambd, 0, input)


def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """x drawn towards 0 by lambd, and 0 where |x| <= lambd."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    shrunk = fb.where(input > lambd, input - lambd, input + lambd)
    return fb.where(input.abs() <= lambd, 0, shrunk)


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where it is above the threshold, else `value`."""
    result = fb.where(input <= threshold, value, input)
    return _into(input, result) if inplace else result


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """`threshold` in place."""
    return _into(input, fb.where(input <= threshold, value, input))


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """a * sigmoid(b) of the two halves a, b along `dim`; Dauphin et al., 2016."""
    if input.dim() == 0:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    size = input.size(dim)
    if size % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {dim % input.dim()} is size {size}"
        )
    value, gate = input.chunk(2, dim)
    return value * sigmoid(gate)


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
