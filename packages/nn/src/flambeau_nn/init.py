"""Filling tensors with initial values, in place.

Every function changes its tensor without recording it for autograd, and returns it. Those that
draw take a `generator`.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

# Names with an underscore are here because programs import them from PyTorch.
__all__ = [
    "_calculate_correct_fan",
    "_calculate_fan_in_and_fan_out",
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal",
    "kaiming_normal_",
    "kaiming_uniform",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "xavier_normal",
    "xavier_normal_",
    "xavier_uniform",
    "xavier_uniform_",
    "zeros_",
]

_GAINS = {
    "linear": 1,
    "conv1d": 1,
    "conv2d": 1,
    "conv3d": 1,
    "conv_transpose1d": 1,
    "conv_transpose2d": 1,
    "conv_transpose3d": 1,
    "sigmoid": 1,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor that keeps the variance through a nonlinearity.

    `param` is the negative slope of "leaky_relu", 0.01 by default. Raises ValueError for a name
    that is not known.
    """
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


# -- plain fillings -------------------------------------------------------------------------


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Fills with U(a, b)."""
    with fb.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Fills with N(mean, std^2)."""
    with fb.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fills with one value."""
    with fb.no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fills with 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fills with 0."""
    with fb.no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Makes a matrix the identity; ValueError for other than two dimensions."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with fb.no_grad():
        tensor.zero_()
        tensor.diagonal().fill_(1)
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Makes a convolution's weight (O, I, *) pass its input channels through, group by group."""
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out_channels, in_channels, *kernel = tensor.shape
    if out_channels % groups:
        raise ValueError("dim 0 must be divisible by groups")
    each = out_channels // groups
    centre = tuple(size // 2 for size in kernel)
    with fb.no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(each, in_channels)):
                place = (group * each + channel, channel, *centre)
                tensor[place] = 1
    return tensor


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Tensor:
    """Fills with N(mean, std^2) limited to [a, b], through the inverse distribution function."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
            stacklevel=2,
        )

    def below(x: float) -> float:
        return (1.0 + math.erf((x - mean) / (std * math.sqrt(2.0)))) / 2.0

    with fb.no_grad():
        tensor.uniform_(2 * below(a) - 1, 2 * below(b) - 1, generator=generator)
        return tensor.erfinv_().mul_(std * math.sqrt(2.0)).add_(mean).clamp_(min=a, max=b)


# -- by fan in and fan out ------------------------------------------------------------------


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    """How many inputs reach an output, and how many outputs an input, of a weight (O, I, *)."""
    if tensor.dim() < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """U(-l, l) with l = gain * sqrt(6 / (fan_in + fan_out)); Glorot and Bengio, 2010."""
    limit = gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -limit, limit, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """N(0, s^2) with s = gain * sqrt(2 / (fan_in + fan_out)); Glorot and Bengio, 2010."""
    std = gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return normal_(tensor, 0.0, std, generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """U(-l, l) with l = gain * sqrt(3 / fan); He et al., 2015.

    `a` is the negative slope of "leaky_relu".
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    limit = math.sqrt(3.0) * std
    return uniform_(tensor, -limit, limit, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:
    """N(0, s^2) with s = gain / sqrt(fan); He et al., 2015."""
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float | None:
    """The standard deviation that keeps the variance; None for a tensor without elements."""
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


# -- structured -----------------------------------------------------------------------------


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Any = None) -> Tensor:
    """Makes rows or columns (whichever are fewer) orthonormal times `gain`; Saxe et al., 2013.

    Dimensions after the first count as columns. Raises ValueError below two dimensions.
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with fb.no_grad():
        wide = fb.float64 if tensor.dtype == fb.float64 else fb.float32
        tall = fb.empty((max(rows, columns), min(rows, columns)), dtype=wide, device=tensor.device)
        basis = _orthonormal_columns(tall.normal_(0, 1, generator=generator))
        matrix = basis if rows >= columns else basis.t()
        tensor.copy_(matrix.reshape(tensor.shape))
        return tensor.mul_(gain)


def _orthonormal_columns(matrix: Tensor) -> Tensor:
    """Orthonormal columns spanning those of a matrix with at least as many rows.

    Gram-Schmidt, each column cleared twice of the ones before it, which is enough to reach
    machine precision. A random start makes the result uniform (Haar) with no further sign fix.
    """
    columns: list[Tensor] = []
    for place in range(matrix.size(1)):
        column = matrix[:, place].clone()
        if columns:
            before = fb.stack(columns)
            for _ in range(2):
                column = column - fb.matmul(fb.matmul(before, column), before)
        columns.append(column / column.norm())
    return fb.stack(columns, 1)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Any = None) -> Tensor:
    """N(0, std^2) with a share `sparsity` of each column set to 0; Martens, 2010."""
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with fb.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            order = fb.randperm(rows, generator=generator)
            tensor[order[:zeros].to(tensor.device), column] = 0
    return tensor


# -- the names without a final underscore, from PyTorch's first years -------------------------

kaiming_normal = kaiming_normal_
kaiming_uniform = kaiming_uniform_
xavier_normal = xavier_normal_
xavier_uniform = xavier_uniform_
