"""Dropout, of elements and of whole channels.

Srivastava et al., "Dropout: A Simple Way to Prevent Neural Networks from Overfitting", 2014.
"""

from __future__ import annotations

import warnings

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops

__all__ = [
    "alpha_dropout",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "feature_alpha_dropout",
]

# What a dropped element becomes: the limit of SELU at minus infinity, so that mean and variance
# can be kept; Klambauer et al., "Self-Normalizing Neural Networks", 2017.
_SELU_LIMIT = -1.7580993408473766


def _check_probability(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes elements with probability `p` and scales the others by 1 / (1 - p), in training."""
    _check_probability(p)
    result = nn_ops.dropout(input, p, training)
    return input.copy_(result) if inplace and training else result


def _drop_channels(input: Tensor, p: float, training: bool, inplace: bool, lead: int) -> Tensor:
    """Drops whole slices; the first `lead` dimensions choose the slice."""
    _check_probability(p)
    if not training or p == 0:
        return input
    keep = fb.ones(
        (*input.shape[:lead], *(1,) * (input.dim() - lead)), dtype=input.dtype, device=input.device
    )
    result = input * nn_ops.dropout(keep, p, True)
    return input.copy_(result) if inplace else result


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Drops whole channels of (N, C, L) or (C, L)."""
    if input.dim() not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {input.dim()}D input. Note that "
            "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, "
            "a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _drop_channels(input, p, training, inplace, lead=input.dim() - 1)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Drops whole channels of (N, C, H, W); (N, C, L) is taken as a batch, as PyTorch does."""
    if input.dim() not in (3, 4):
        warnings.warn(
            f"dropout2d: Received a {input.dim()}-D input to dropout2d, which is deprecated and "
            "will result in an error in a future release.",
            stacklevel=2,
        )
    return _drop_channels(input, p, training, inplace, lead=2)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Drops whole channels of (N, C, D, H, W) or (C, D, H, W)."""
    if input.dim() not in (4, 5):
        warnings.warn(
            f"dropout3d: Received a {input.dim()}-D input to dropout3d, which is deprecated and "
            "will result in an error in a future release.",
            stacklevel=2,
        )
    return _drop_channels(input, p, training, inplace, lead=1 if input.dim() == 4 else 2)


def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Dropout that keeps mean 0 and variance 1 of SELU's outputs."""
    return _alpha_dropout(input, p, training, inplace, input.dim())


def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels of (N, C, *)."""
    return _alpha_dropout(input, p, training, inplace, 2)


def _alpha_dropout(input: Tensor, p: float, training: bool, inplace: bool, lead: int) -> Tensor:
    _check_probability(p)
    if not training or p == 0:
        return input
    if p == 1:
        result = input * 0
    else:
        shape = (*input.shape[:lead], *(1,) * (input.dim() - lead))
        kept = fb.rand(shape, device=input.device) >= p
        scale = ((1 - p) * (1 + p * _SELU_LIMIT**2)) ** -0.5
        shift = -scale * p * _SELU_LIMIT
        result = fb.where(kept, input, _SELU_LIMIT) * scale + shift
    return input.copy_(result) if inplace else result
